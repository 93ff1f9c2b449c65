/** Checks DNS, the mail servers and the payment provider. */
import { randomBytes } from "node:crypto";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Config } from "#lib/base/config.ts";
import type { DnsClient } from "#lib/drivers/dns/dns.ts";
import { formatList } from "#lib/base/text.ts";
import { createPass, createWarning, type Finding, type ReadResult } from "#lib/doctor/finding.ts";
import { catchDriverError, type TimedRead } from "#lib/doctor/timed-read.ts";
import type { DriverError } from "#lib/base/errors.ts";
import { openPaymentProvider } from "#lib/drivers/payments/open.ts";
import { checkSmtpLogin } from "#lib/drivers/mail/smtp.ts";
import { SECOND } from "#lib/base/time.ts";

export async function checkDomain(
  domain: string,
  timedRead: TimedRead,
  resolve: DnsClient["addresses"],
): Promise<Finding> {
  if (isLocalhost(domain)) return checkResolvedDomain(domain, { value: [] });
  const name = `doctor-${randomBytes(4).toString("hex")}.${domain}`;
  return checkResolvedDomain(domain, await timedRead((signal) => resolve(name, signal)));
}

/** Returns whether the domain is `localhost` or one of its subdomains, which need no name server. */
function isLocalhost(domain: string): boolean {
  return domain === "localhost" || domain.endsWith(".localhost");
}

function checkResolvedDomain(domain: string, addresses: ReadResult<readonly string[]>): Finding {
  const check = "domain", wildcard = `*.${domain}`;
  if (isLocalhost(domain)) {
    return createWarning(
      check,
      `${wildcard} resolves to the local machine: sites can be opened only on this machine`,
    );
  }
  const hint = `Point the wildcard record ${wildcard} at the ingress controller's address.`;
  if (!("value" in addresses)) {
    return createWarning(check, `${wildcard} could not be resolved: ${addresses.error}`, hint);
  }
  return addresses.value.length === 0
    ? createWarning(check, `${wildcard} does not resolve`, hint)
    : createPass(check, `${wildcard} resolves to ${formatList(addresses.value)}`);
}

/** Checks the connection to the mail server, including the login. */
export async function checkMail(smtp: Config["smtp"], timedRead: TimedRead): Promise<Finding> {
  const replyFinding = checkMailReply(
    smtp,
    smtp === null ? { error: "" } : await timedRead((signal) => readGreeting(smtp, signal)),
  );
  if (smtp === null || replyFinding.level !== "ok") return replyFinding;
  return checkMailLogin(
    smtp,
    replyFinding,
    await timedRead(() =>
      catchDriverError(() =>
        checkSmtpLogin({ ...smtp, name: "", timeouts: { wait: SMTP_TIMEOUT, total: SMTP_TIMEOUT } })
      )
    ),
  );
}

function checkMailLogin(
  { host, port, user, encryption }: NonNullable<Config["smtp"]>,
  replyFinding: Finding,
  login: ReadResult<DriverError | null>,
): Finding {
  if (!("value" in login)) {
    return createWarning(
      replyFinding.check,
      `${host}:${port} answers, but the login does not complete: ${login.error}`,
    );
  }
  if (login.value) return createWarning(replyFinding.check, login.value.message, login.value.hint);
  const credentials = user === null ? "" : ", and accepts SMTP_USER and SMTP_PASS";
  return createPass(
    replyFinding.check,
    `${replyFinding.message}${credentials}; ${TLS_DESCRIPTIONS[encryption](port)}`,
  );
}

/** Describes how each SMTP_TLS setting protects emails. */
const TLS_DESCRIPTIONS: Readonly<Record<NonNullable<Config["smtp"]>["encryption"], (port: number) => string>> = {
  implicit: () => "TLS is always used (SMTP_TLS=implicit)",
  required: () => "TLS is always used",
  opportunistic: (port) =>
    port === 465
      ? "TLS is always used (port 465)"
      : "TLS is used only if the server offers it; set SMTP_TLS=required to enforce it",
  off: () => "TLS is never used (SMTP_TLS=off)",
};

const SMTP_TIMEOUT = 8 * SECOND; // shorter than READ_TIMEOUT, so that the SMTP error is reported

/** Checks the greeting that the mail server sent. */
function checkMailReply(smtp: Config["smtp"], greetingResult: ReadResult<string>): Finding {
  const check = "mail";
  if (smtp === null) {
    return createWarning(
      check,
      "SMTP_HOST is not set: Wheelwright's mail stays queued",
      "Set SMTP_HOST to your mail server.",
    );
  }
  const address = `${smtp.host}:${smtp.port}`, hint = "Check SMTP_HOST and SMTP_PORT.";
  if (!("value" in greetingResult)) {
    return createWarning(check, `cannot reach ${address}: ${greetingResult.error}`, hint);
  }
  if (greetingResult.value.startsWith("220")) return createPass(check, `${address} answers`);
  return createWarning(
    check,
    `${address} does not answer like a mail server: ${greetingResult.value.slice(0, 80)}`,
    hint,
  );
}

/** Checks the settings of the sites' mail relay. Does not connect: the relay may accept connections only from pods. */
export function checkMailRelay(relay: Config["relay"]): Finding {
  const check = "relay";
  if (relay) {
    return createPass(
      check,
      `sites send mail through ${relay.host}:${relay.port}${relay.user ? ", each with its own account" : ""}`,
    );
  }
  return createWarning(
    check,
    "SPOKE_SMTP_HOST is not set: sites cannot send mail",
    "Set SPOKE_SMTP_HOST to a mail server for sites. Sites never receive SMTP_USER and SMTP_PASS.",
  );
}

/** Checks the payment provider's API key. Returns no finding if no payment provider is configured. */
export async function checkPayments(stripe: Config["stripe"], timedRead: TimedRead): Promise<Finding[]> {
  if (stripe === null) return [];
  const check = "payments",
    refusal = await timedRead((signal) => catchDriverError(() => openPaymentProvider(stripe).check(signal)));
  if (!("value" in refusal)) return [createWarning(check, `could not be checked: ${refusal.error}`)];
  if (refusal.value) return [createWarning(check, refusal.value.message, refusal.value.hint)];
  const kind = /_live_/.test(stripe.secretKey) ? "live" : "test";
  return [createPass(check, `the payment provider accepts STRIPE_SECRET_KEY (a ${kind} key)`)];
}

const MAX_GREETING_LENGTH = 512; // the maximum length of a reply line in RFC 5321

/** Reads a mail server's greeting, over TLS on port 465 or in plain text on other ports. Then sends QUIT. */
function readGreeting({ host, port, encryption }: NonNullable<Config["smtp"]>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = port === 465 && encryption !== "off"
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }) })
      : connect({ host, port });
    let text = "";
    const abort = () => socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
    signal.addEventListener("abort", abort, { once: true });
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes("\n") && text.length < MAX_GREETING_LENGTH) return;
      resolve(text.split(/\r?\n/)[0]!);
      socket.end("QUIT\r\n", () => socket.destroy());
    });
    socket.on("error", reject);
    socket.on("close", () => {
      signal.removeEventListener("abort", abort);
      reject(new Error("the server closed the connection without a greeting"));
    });
  });
}
