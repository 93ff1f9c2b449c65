/**
 * Signs in with the browser, so that it works with every way to sign in to the portal. On the machine of the browser, the
 * browser returns a code (RFC 8252 with PKCE). Elsewhere, the user types a code into a page (RFC 8628).
 */
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "#lib/base/time.ts";
import { type MintedToken, type TerminalRedemption, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { openCallbackServer } from "./callback-server.ts";
import type { CliContext } from "./command.ts";
import { CommandError, EXIT } from "./exit-status.ts";
import { canOpenBrowser, openBrowser } from "./open-browser.ts";
import { printWarning } from "./output.ts";
import { sanitizeLine } from "./text.ts";

interface BrowserLogin {
  readonly name: string;
  readonly scope: MintedToken["scope"];
  /** Whether to show a code to type into a page, even if a browser could open on this machine. */
  readonly useCode: boolean;
}

/** A lost answer is not requested again, because the server redeems each secret once. */
const ONCE = { maxAttempts: 1 };
const WAIT_SECONDS = 600, SLOWER_SECONDS = 5;

/** Waits until the user has approved the sign-in, and returns the new token. Ctrl-C ends the command with status 130. */
export async function signInWithBrowser(
  cli: CliContext,
  server: Wheelwright,
  login: BrowserLogin,
): Promise<MintedToken> {
  const ended = Promise.withResolvers<never>();
  const onSignal = () => ended.reject(new CommandError(EXIT.interrupted, "You are not signed in"));
  const timer = setTimeout(() => {
    ended.reject(
      new CommandError(EXIT.timedOut, "Nobody approved the sign-in within 10 minutes. You are not signed in"),
    );
  }, WAIT_SECONDS * SECOND);
  process.once("SIGINT", onSignal);
  const stop = new AbortController(), work = login.useCode || !canOpenBrowser(cli.env) ? pollForToken : waitForCode;
  try {
    return await Promise.race([work(cli, server, login, stop.signal), ended.promise]);
  } finally {
    stop.abort();
    clearTimeout(timer);
    process.off("SIGINT", onSignal);
  }
}

async function waitForCode(
  cli: CliContext,
  server: Wheelwright,
  { name, scope }: BrowserLogin,
  stop: AbortSignal,
): Promise<MintedToken> {
  const state = createRandomText(), verifier = createRandomText();
  const callback = await openCallbackServer(state), { port } = callback;
  stop.addEventListener("abort", callback.close);
  await requirePortalOn(server, { code: "x", verifier, port });
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const page = new URL(`${server.url}/cli`);
  page.search = String(new URLSearchParams({ challenge, port: String(port), state, name, scope }));
  printWarning(
    `Approve the sign-in in your browser. If no page opens, open this address on this machine:\n${page.href}`,
  );
  printWarning("If the browser is on another machine, press Ctrl-C and add --no-browser.");
  openBrowser(page.href, cli.env);
  const code = await callback.code;
  if (code === null) throw new CommandError(EXIT.notAllowed, "You denied the sign-in");
  return await server.createTerminalToken({ code, verifier, port }, ONCE);
}

async function pollForToken(
  _: CliContext,
  server: Wheelwright,
  { name, scope }: BrowserLogin,
  stop: AbortSignal,
): Promise<MintedToken> {
  const { deviceCode, userCode, verificationUri, interval } = await server.createDeviceSignIn({ name, scope }, ONCE)
    .catch((error) => refuseBrowser(error));
  printWarning(
    `To sign in, open ${sanitizeLine(verificationUri)} in a browser and type the code ${sanitizeLine(userCode)}`,
  );
  printWarning("Waiting for your approval, at most 10 minutes. Ctrl-C cancels.");
  for (let seconds = Math.max(1, interval);;) {
    await sleep(seconds * SECOND, undefined, { signal: stop });
    try {
      return await server.redeemDeviceSignIns({ deviceCode }, ONCE);
    } catch (error) {
      const { code, statusCode } = error instanceof WheelwrightError ? error : { code: "", statusCode: -1 };
      if (code === "polled_too_soon") seconds += SLOWER_SECONDS;
      else if (code !== "sign_in_pending" && statusCode !== 0 && statusCode < 500) throw error;
    }
  }
}

/** Asks the server whether it supports this flow, with a code that cannot exist. */
async function requirePortalOn(server: Wheelwright, probe: TerminalRedemption): Promise<void> {
  await server.createTerminalToken(probe, ONCE).catch((error) => {
    if (!(error instanceof WheelwrightError) || error.code !== "sign_in_spent") refuseBrowser(error);
  });
}

/** Throws the error, with the other way to sign in if the server has no portal or is of an earlier release. */
function refuseBrowser(error: unknown): never {
  const isUnsupported = error instanceof WheelwrightError &&
    (error.code === "portal_off" || error.statusCode === 404 || error.statusCode === 405);
  if (!isUnsupported) throw error;
  const message =
    "This server has no page for signing in from a terminal. Use --email ADDRESS to sign in with a password";
  throw new CommandError(EXIT.notAllowed, message, { cause: error });
}

function createRandomText(): string {
  return randomBytes(32).toString("base64url");
}
