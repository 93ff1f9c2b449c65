/**
 * Sends emails over SMTP with a few reusable connections. TLS starts immediately on port 465 and with
 * SMTP_TLS=implicit. Otherwise STARTTLS is used if the server offers it. Without SMTP_TLS=required, an attacker in the
 * network can suppress STARTTLS and read the password.
 */
import type { ConnectionOptions } from "node:tls";
import { createTransport } from "nodemailer";
import type { Config } from "#lib/base/config.ts";
import { composeMail, type Mail, type MailTransport } from "#lib/drivers/mail/transport.ts";
import { redactReply, toMailError } from "#lib/drivers/mail/refusals.ts";
import { createCallLimiter } from "#lib/base/limits/call-limiter.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

/** The maximum number of emails that a replica sends at the same time. */
const CONNECTIONS = 4;
const TIMEOUTS = { wait: 15 * SECOND, total: 60 * SECOND };

export interface SmtpOptions extends NonNullable<Config["smtp"]> {
  /** The host name that this service sends in the SMTP greeting. */
  readonly name: string;
  /** Certificate authorities to trust instead of the system's, and the host name to expect in the certificate. */
  readonly tls?: Pick<ConnectionOptions, "ca" | "servername">;
  /** The time limits in milliseconds, for each wait (default 15 s) and for sending one email (default 60 s). */
  readonly timeouts?: { readonly wait: number; readonly total: number };
}

export function openSmtpTransport(options: SmtpOptions): MailTransport {
  const { host, port, user, pass, from, timeouts: timeouts = TIMEOUTS } = options;
  const server = `${host}:${port}`, transport = openTransport(options);
  const limiter = createCallLimiter({ concurrency: CONNECTIONS });
  transport.on("error", () => {}); // each email reports its own failure

  async function send(mail: Mail, signal: AbortSignal) {
    const late = AbortSignal.timeout(timeouts.total), secrets = secretsOf(mail.link, user, pass);
    try {
      const content = composeMail(mail, from);
      const { response } = await transport.sendMail({ ...content, signal: AbortSignal.any([signal, late]) });
      return { answer: redactReply(response, secrets), file: null };
    } catch (error) {
      signal.throwIfAborted();
      throw toMailError(error, { server, to: mail.to.email, secrets, late: late.aborted });
    }
  }

  return {
    send: (mail, signal) => limiter.run([signal], () => send(mail, signal)),
    close: () => transport.close({ force: true }),
  };
}

/** Connects to the mail server and logs in. Throws MailError. */
export async function checkSmtpLogin(options: SmtpOptions): Promise<void> {
  const { host, port, user, pass, timeouts: timeouts = TIMEOUTS } = options, transport = openTransport(options);
  const limit = AbortSignal.timeout(timeouts.total);
  try {
    await runCancellable([limit], null, () => transport.verify());
  } catch (error) {
    const secrets = secretsOf(null, user, pass);
    throw toMailError(error, { server: `${host}:${port}`, to: "", secrets, late: limit.aborted });
  } finally {
    transport.close({ force: true });
  }
}

function openTransport({ host, port, user, pass, name, tls, encryption, timeouts: { wait } = TIMEOUTS }: SmtpOptions) {
  return createTransport({
    pool: true,
    host,
    port,
    secure: encryption === "implicit" || port === 465 && encryption !== "off",
    requireTLS: encryption === "required",
    ignoreTLS: encryption === "off",
    ...(user !== null && { auth: { user, pass: pass ?? "" } }),
    ...(tls && { tls }),
    ...(name.includes(".") && { name }), // many servers reject the name "localhost"
    connectionTimeout: wait,
    greetingTimeout: wait,
    dnsTimeout: wait,
    socketTimeout: wait,
    socketCloseTimeout: SECOND,
    maxConnections: CONNECTIONS,
    maxMessages: 100,
    // Retries only if the server had already closed the connection. The job that sends the email makes other retries.
    maxRequeues: 1,
    idleTimeout: 30 * SECOND,
    maxResponseSize: 64 * 1024,
  });
}

/** Returns the secrets used for an email, also in encoded form, because a server might repeat them in its reply. */
function secretsOf(link: string | null, user: string | null, pass: string | null): string[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const token = link === null ? null : new URL(link).searchParams.get("token");
  return [
    ...(link === null ? [] : [link]),
    ...(token === null ? [] : [token]),
    ...(pass === null ? [] : [pass, base64(pass), base64(`\0${user ?? ""}\0${pass}`)]),
  ];
}
