/**
 * Finishes a sign-in at an OpenID Connect provider: checks the provider's answer and starts a session. Each refusal of a
 * started sign-in is recorded with its reason.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createPendingCookie, createSessionCookie, readBrowserCookie } from "#lib/domains/auth/cookie.ts";
import { createAnonymousRequester } from "#lib/domains/auth/mail-link.ts";
import { readProviderIdentity, SignInRefusal } from "#lib/domains/auth/providers/identity.ts";
import { deriveSecrets, takeSignInRequest } from "#lib/domains/auth/providers/requests.ts";
import { startProviderSession } from "#lib/domains/auth/providers/start-session.ts";
import { buildRedirectUri, requireProvider, toUnavailableFault } from "#lib/domains/auth/providers/start.ts";
import { secondFactorRequiredFault, type StartedSignIn } from "#lib/domains/auth/pending-sign-in.ts";
import { recordChange } from "#lib/changes/record.ts";
import { Fault } from "#lib/base/errors.ts";
import type { SignInProvider } from "#lib/openid/client.ts";
import { ProviderError, type ProviderFailure } from "#lib/openid/errors.ts";

/** Why a sign-in was refused, and whose it was as far as that is known. */
interface RefusedPerson {
  readonly reason: string;
  readonly email?: string;
  readonly userId?: string | undefined;
}

interface FinishedProviderSignIn {
  readonly cookie: string;
  readonly nextPath: string;
}

interface ProviderAnswer {
  readonly providerId: string;
  readonly parameters: URLSearchParams;
  readonly request: Request;
  /** The signed-in user of the browser, whose session ends when the new one begins. */
  readonly previous: Actor | null;
}

const REASONS: Readonly<Record<Exclude<ProviderFailure, "unavailable">, string>> = {
  denied: "the sign-in was cancelled there, or was not allowed",
  code: "the answer was already used or has expired",
  issuer: "the answer came from another issuer",
  token: "the answer was not valid",
};

/**
 * Returns the session cookie and the path to open. Throws a fault: `missing` (`provider_missing`), `unavailable`
 * (`provider_unavailable`), `unauthenticated` (`sign_in_expired`, `second_factor_required`) or `forbidden`
 * (`sign_in_refused`).
 */
export async function finishProviderSignIn(
  app: App,
  origin: RequestOrigin,
  { providerId, parameters, request, previous }: ProviderAnswer,
  signal: AbortSignal,
): Promise<FinishedProviderSignIn> {
  const provider = requireProvider(app, providerId);
  const browser = readBrowserCookie(app.config.publicUrl, request), state = parameters.get("state") ?? "";
  // Commits before the code is used, so a second request with the same answer finds no sign-in.
  const taken = await app.db.transact((tx) => takeSignInRequest(tx, { state, browser, provider: providerId }));
  if (taken.problem !== undefined) {
    if (taken.request) await recordRefusal(app, origin, provider, { reason: taken.problem });
    const message = "This sign-in was started in another browser, more than 10 minutes ago, or was already used; " +
      "sign in again";
    throw new Fault("unauthenticated", "sign_in_expired", message);
  }
  try {
    const claims = await provider.readClaims({
      ...{ parameters, redirectUri: buildRedirectUri(app, providerId), now: await app.db.now(), signal },
      ...deriveSecrets(browser!, state),
    });
    const identity = readProviderIdentity(provider.settings, claims);
    const started = await startProviderSession(app, origin, { provider, request: taken.request, identity, previous });
    return continueInBrowser(app, started, taken.request.nextPath);
  } catch (error) {
    throw await toFault(app, origin, provider, error);
  }
}

/** Returns where the browser continues: at the requested path, or at the page for the second factor. */
function continueInBrowser({ config }: App, started: StartedSignIn, nextPath: string): FinishedProviderSignIn {
  const { publicUrl, portal } = config, { isPending, secret } = started;
  if (!isPending) return { cookie: createSessionCookie(publicUrl, secret), nextPath };
  if (!portal) throw secondFactorRequiredFault(config, started);
  const query = new URLSearchParams({ next: nextPath });
  return { cookie: createPendingCookie(publicUrl, secret), nextPath: `/second-factor?${query}` };
}

/** Returns the fault for an error of a started sign-in, and records the refusal. */
async function toFault(app: App, origin: RequestOrigin, provider: SignInProvider, error: unknown): Promise<unknown> {
  if (error instanceof SignInRefusal) {
    await recordRefusal(app, origin, provider, error);
    return new Fault("forbidden", "sign_in_refused", error.message);
  }
  if (!(error instanceof ProviderError)) return error;
  await recordRefusal(app, origin, provider, { reason: `provider_${error.failure}` });
  if (error.failure === "unavailable") return toUnavailableFault(app, provider, error);
  app.log.warn("A sign-in at a provider was refused", { provider: provider.settings.id, problem: error.message });
  const message = `${provider.settings.label} did not sign you in: ${REASONS[error.failure]}; try again`;
  return new Fault("forbidden", "sign_in_refused", message);
}

async function recordRefusal(
  app: App,
  origin: RequestOrigin,
  { settings }: SignInProvider,
  { reason, email = "", userId = "unknown" }: RefusedPerson,
): Promise<void> {
  const metadata = { method: "provider", provider: settings.id, reason };
  const entry = { kind: "auth_login_failed", objectType: "user", objectId: userId, metadata } as const;
  await app.db.transact((tx) => recordChange(tx, createAnonymousRequester(email, origin), { audit: [entry] }));
}
