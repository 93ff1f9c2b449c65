/** Checks DNS, mail servers and the payment provider. */
import { randomBytes } from "node:crypto";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Config } from "#lib/base/config.ts";
import type { Dns } from "#lib/drivers/dns/dns.ts";
import { type Finding, listWords, passing, type ReadResult, warning } from "#lib/doctor/finding.ts";
import { findRefusal, type TimedRead } from "#lib/doctor/timed-read.ts";
import type { DriverError } from "#lib/base/errors.ts";
import { openPayments } from "#lib/drivers/payments/open.ts";
import { checkSmtp } from "#lib/drivers/mail/smtp.ts";
import { SECOND } from "#lib/base/time.ts";

export async function checkDomain(domain: string, timedRead: TimedRead, resolve: Dns["addresses"]): Promise<Finding> {
  if (isLocal(domain)) return checkResolvedDomain(domain, { seen: [] });
  const name = `doctor-${randomBytes(4).toString("hex")}.${domain}`;
  return checkResolvedDomain(domain, await timedRead((signal) => resolve(name, signal)));
}

/** Returns whether the domain is `localhost` or a subdomain of it. Resolving these needs no name server. */
function isLocal(domain: string): boolean {
  return domain === "localhost" || domain.endsWith(".localhost");
}

function checkResolvedDomain(domain: string, addresses: ReadResult<readonly string[]>): Finding {
  const check = "domain", wildcard = `*.${domain}`;
  if (isLocal(domain)) {
    return warning(check, `${wildcard} leads to whatever machine one sits at; sites open on it alone`);
  }
  const hint = `Point the wildcard record ${wildcard} at the ingress controller's address.`;
  if (!("seen" in addresses)) return warning(check, `${wildcard} could not be resolved: ${addresses.unseen}`, hint);
  return addresses.seen.length === 0
    ? warning(check, `${wildcard} does not resolve`, hint)
    : passing(check, `${wildcard} leads to ${listWords(addresses.seen)}`);
}

/** Checks the mail server, including the login, so that a wrong password is found before the first mail. */
export async function checkMail(smtp: Config["smtp"], timedRead: TimedRead): Promise<Finding> {
  const found = checkMailReply(
    smtp,
    smtp === null ? { unseen: "" } : await timedRead((signal) => greeting(smtp, signal)),
  );
  if (smtp === null || found.level !== "ok") return found;
  return checkMailLogin(
    smtp,
    found,
    await timedRead(() => findRefusal(() => checkSmtp({ ...smtp, name: "", timeouts: { wait: KNOCK, total: KNOCK } }))),
  );
}

function checkMailLogin(
  { host, port, user, encryption }: NonNullable<Config["smtp"]>,
  found: Finding,
  entered: ReadResult<DriverError | null>,
): Finding {
  if (!("seen" in entered)) return warning(found.check, `${host}:${port} answers, and then hangs: ${entered.unseen}`);
  if (entered.seen) return warning(found.check, entered.seen.message, entered.seen.hint);
  const accepts = user === null ? "" : ", and accepts SMTP_USER and SMTP_PASS";
  return passing(found.check, `${found.message}${accepts}; ${PROTECTED[encryption](port)}`);
}

/** Describes the TLS protection of each setting. */
const PROTECTED: Readonly<Record<NonNullable<Config["smtp"]>["encryption"], (port: number) => string>> = {
  implicit: () => "nothing is sent without TLS (SMTP_TLS=implicit)",
  required: () => "nothing is sent without TLS",
  opportunistic: (port) =>
    port === 465
      ? "nothing is sent without TLS (port 465)"
      : "TLS is used when it is offered, and who strips the offer reads along (SMTP_TLS=required)",
  off: () => "all is sent without TLS (SMTP_TLS=off)",
};

const KNOCK = 8 * SECOND; // shorter than the limit of a read, so that the reason is reported

/** Checks the first line that the mail server sends. */
function checkMailReply(smtp: Config["smtp"], greeted: ReadResult<string>): Finding {
  const check = "mail";
  if (smtp === null) {
    return warning(
      check,
      "SMTP_HOST is not set: our own mail stays queued",
      "Set it when you have one.",
    );
  }
  const place = `${smtp.host}:${smtp.port}`, hint = "See SMTP_HOST and SMTP_PORT.";
  if (!("seen" in greeted)) return warning(check, `${place} cannot be reached: ${greeted.unseen}`, hint);
  if (greeted.seen.startsWith("220")) return passing(check, `${place} answers`);
  return warning(check, `${place} does not greet as a mail server: ${greeted.seen.slice(0, 80)}`, hint);
}

/**
 * Checks the settings of the sites' mail relay. Doctor does not connect, because a relay may accept only the cluster.
 */
export function checkRelay(relay: Config["relay"]): Finding {
  const check = "relay";
  if (relay) return passing(check, `goes to ${relay.host}:${relay.port}${relay.user ? ", an account each" : ""}`);
  return warning(
    check,
    "SPOKE_SMTP_HOST is not set: no site sends mail",
    "Set it to a mail server that sites may use; they are never given SMTP_USER and SMTP_PASS.",
  );
}

/**
 * Checks the payment provider, so that a wrong key is found before the first invoice. Returns no finding without a
 * payment provider.
 */
export async function checkPayments(stripe: Config["stripe"], timedRead: TimedRead): Promise<Finding[]> {
  if (stripe === null) return [];
  const check = "payments", asked = await timedRead((signal) => findRefusal(() => openPayments(stripe).check(signal)));
  if (!("seen" in asked)) return [warning(check, `The payment provider could not be asked: ${asked.unseen}`)];
  if (asked.seen) return [warning(check, asked.seen.message, asked.seen.hint)];
  const kind = /_live_/.test(stripe.secretKey) ? "live" : "test";
  return [passing(check, `The payment provider answers, and accepts STRIPE_SECRET_KEY, a ${kind} key`)];
}

const GREETING_MOST = 512; // the limit of a reply line, according to RFC 5321

/** Reads the greeting of a mail server: over TLS on port 465, otherwise in plain text. Sends only QUIT. */
function greeting({ host, port, encryption }: NonNullable<Config["smtp"]>, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = port === 465 && encryption !== "off"
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }) })
      : connect({ host, port });
    let text = "";
    const stop = () => socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
    signal.addEventListener("abort", stop, { once: true });
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes("\n") && text.length < GREETING_MOST) return;
      resolve(text.split(/\r?\n/)[0]!);
      socket.end("QUIT\r\n", () => socket.destroy());
    });
    socket.on("error", reject);
    socket.on("close", () => {
      signal.removeEventListener("abort", stop);
      reject(new Error("it closed the connection without a greeting"));
    });
  });
}
