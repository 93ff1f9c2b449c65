/**
 * Turns failures of mail servers into MailErrors with hints.
 *
 * Only failures that a retry cannot change are permanent: an invalid address or a rejected mail. Problems that somebody
 * may fix (server, certificate, password, sender, relay policy) are retried.
 */
import type { NodemailerError } from "nodemailer/lib/errors";
import { messageOf } from "#lib/base/errors.ts";
import { escapeInvisibleCharacters } from "#lib/base/readable.ts";
import type { DriverErrorOptions } from "#lib/base/errors.ts";
import { MailError } from "#lib/drivers/mail/transport.ts";

interface SendContext {
  /** `host:port`. */
  readonly server: string;
  /** The recipient's address. */
  readonly to: string;
  /** Texts that must not appear in the message. */
  readonly secrets: readonly string[];
  /** Whether the mail's time limit was exceeded. */
  readonly late: boolean;
}

export function explainRefusal(error: unknown, { server: place, to, secrets, late }: SendContext): MailError {
  const { code = "unknown", originalCode, command, response, responseCode } = error as NodemailerError;
  const reply = redactReply(response ?? messageOf(error), secrets);
  const transientError = (name: string, message: string, hint: string): MailError =>
    new MailError(name, message, { transient: true, hint });
  const permanentError = (name: string, message: string, more: Omit<DriverErrorOptions, "transient">): MailError =>
    new MailError(name, message, { transient: false, ...more });
  const reachHint = "Check SMTP_HOST, SMTP_PORT and the network.";

  if (late || code === "ETIMEDOUT") {
    return transientError("mail_timeout", `The mail server ${place} did not answer in time`, reachHint);
  }
  if (code === "EDNS") {
    return transientError("mail_unreachable", `The mail server ${place} could not be found: ${reply}`, reachHint);
  }
  if (isTls(code, originalCode)) {
    const hint =
      "Its certificate must be valid for SMTP_HOST and issued by an authority that this machine trusts. With " +
      "SMTP_TLS=required it must offer TLS. A server that starts with TLS on a port other than 465 needs SMTP_TLS=implicit.";
    return transientError("mail_tls", `The mail server ${place} failed TLS: ${reply}`, hint);
  }
  if (code === "EAUTH" || code === "ENOAUTH" || responseCode === 530) {
    const hint = "Check SMTP_USER and SMTP_PASS. Queued mail is sent once they are right.";
    return transientError("mail_login", `The mail server ${place} rejected the login: ${reply}`, hint);
  }
  const refused = isFinal(responseCode, response);
  if (command === "RCPT TO" && refused) {
    const hint = "Check the address for typing errors.";
    return permanentError("mail_recipient", `The mail server rejected mail for ${to}: ${reply}`, {
      blame: "user",
      hint,
    });
  }
  if (command === "DATA" && refused) {
    return permanentError("mail_refusal", `The mail server rejected the mail: ${reply}`, {});
  }
  if (code === "EENVELOPE" && command === "API") {
    return permanentError("mail_address", `${to} is not a valid mail address`, { blame: "user" });
  }
  if (command === "MAIL FROM" && refused) {
    const hint = "Check SMTP_FROM: the server must allow this sender.";
    return transientError("mail_sender", `The mail server ${place} rejected the sender: ${reply}`, hint);
  }
  if (responseCode) {
    const hint = "Delivery is retried. If it keeps failing, check the mail server's log.";
    return transientError("mail_deferred", `The mail server ${place} deferred the mail: ${reply}`, hint);
  }
  return transientError("mail_unreachable", `The mail server ${place} cannot be reached: ${reply}`, reachHint);
}

/** Whether this error code means that the server rejected the mail permanently. */
export function isRefusal(code: string): boolean {
  return ["mail_recipient", "mail_refusal", "mail_address"].includes(code);
}

/** Returns the mail server's reply from the message of a MailError. */
export function mailServerReply(message: string): string {
  const at = message.indexOf(": ");
  return at < 0 ? message : message.slice(at + 2);
}

/**
 * Whether the reply is a permanent rejection: 5xx, except policy rejections (5.7.x) such as relaying, which an
 * administrator can allow.
 */
function isFinal(responseCode: number | undefined, response = ""): boolean {
  return responseCode !== undefined && responseCode >= 500 && responseCode !== 503 &&
    !/^\d{3}[ -]5\.7\.\d/.test(response);
}

const CERTIFICATE = /CERT|SELF_SIGNED|ISSUER|UNABLE_TO|ALTNAME/;

function isTls(code: string, originalCode = ""): boolean {
  return code === "ETLS" || CERTIFICATE.test(code) || CERTIFICATE.test(originalCode);
}

const MAX_REPLY_LENGTH = 300;

/** Returns the reply on one line, with limited length and without secrets. */
export function redactReply(said: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length);
  const left = known.reduce((text, secret) => text.replaceAll(secret, "***"), said.toWellFormed());
  // Also removes tokens from links that a filter has re-encoded.
  const line = left.replace(/\btoken=\S+/gi, "token=***").replace(/[\p{Cc}\s]+/gu, " ").trim();
  return escapeInvisibleCharacters(line).slice(0, MAX_REPLY_LENGTH).toWellFormed();
}
