/**
 * Sends mail over SMTP with a few reusable connections.
 *
 * On port 465, and with SMTP_TLS=implicit on any port, connections start with TLS. Otherwise STARTTLS is used if the
 * server offers it. The certificate must be valid either way. An attacker in the network can remove the offer and read
 * the password, unless SMTP_TLS=required is set.
 *
 * Each wait and each mail has a time limit, so that a slow server cannot block the queue.
 */
import type { ConnectionOptions } from "node:tls";
import { createTransport } from "nodemailer";
import type { Config } from "#lib/base/config.ts";
import { composeMail, type MailTransport } from "#lib/drivers/mail/transport.ts";
import { explainRefusal, redactReply } from "#lib/drivers/mail/refusals.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

/** The most concurrent mails per replica. */
const CONNECTIONS = 4;
const TIMEOUTS = { wait: 15 * SECOND, whole: 60 * SECOND };

export interface SmtpOptions extends NonNullable<Config["smtp"]> {
  /** Our host name in the SMTP greeting. */
  readonly name: string;
  /** Certificate authorities instead of the system's, and the expected name if the host is an IP address. */
  readonly tls?: Pick<ConnectionOptions, "ca" | "servername">;
  /** Milliseconds for each wait (15 s) and for a whole mail (60 s). */
  readonly timeouts?: { readonly wait: number; readonly whole: number };
}

export function openSmtp(options: SmtpOptions): MailTransport {
  const { host, port, user, pass, from, timeouts: patience = TIMEOUTS } = options;
  const place = `${host}:${port}`, transport = openTransport(options);
  transport.on("error", () => {}); // each mail reports its own failure
  return {
    async send(mail, signal) {
      signal.throwIfAborted();
      const late = AbortSignal.timeout(patience.whole), secrets = secretsOf(mail.link, user, pass);
      try {
        const { response } = await transport.sendMail({
          ...composeMail(mail, from),
          signal: AbortSignal.any([signal, late]),
        });
        return { answer: redactReply(response, secrets), file: null };
      } catch (error) {
        signal.throwIfAborted();
        throw explainRefusal(error, { server: place, to: mail.to.email, secrets, late: late.aborted });
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/** Connects and logs in without sending a mail. Throws MailError. */
export async function checkSmtp(options: SmtpOptions): Promise<void> {
  const { host, port, user, pass, timeouts: patience = TIMEOUTS } = options, transport = openTransport(options);
  const limit = AbortSignal.timeout(patience.whole);
  try {
    await runWithin([limit], null, () => transport.verify());
  } catch (error) {
    const secrets = secretsOf(null, user, pass);
    throw explainRefusal(error, { server: `${host}:${port}`, to: "", secrets, late: limit.aborted });
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
    ...(name.includes(".") && { name }), // many servers reject "localhost"
    connectionTimeout: wait,
    greetingTimeout: wait,
    dnsTimeout: wait,
    socketTimeout: wait,
    socketCloseTimeout: SECOND,
    maxConnections: CONNECTIONS,
    maxMessages: 100,
    // Only for connections that the server had closed. The job resends a mail that may have arrived.
    maxRequeues: 1,
    idleTimeout: 30 * SECOND,
    maxResponseSize: 64 * 1024,
  });
}

/** Returns secrets that a server might repeat in its reply, in each encoding in which they were sent. */
function secretsOf(link: string | null, user: string | null, pass: string | null): string[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const token = link === null ? null : new URL(link).searchParams.get("token");
  return [
    ...(link === null ? [] : [link]),
    ...(token === null ? [] : [token]),
    ...(pass === null ? [] : [pass, base64(pass), base64(`\0${user ?? ""}\0${pass}`)]),
  ];
}
