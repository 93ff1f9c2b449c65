/**
 * Converts mail server errors to MailErrors with hints. Only an invalid address or a rejected email is a permanent
 * failure. Problems that an administrator can fix (certificate, password, sender or relay policy) are retried.
 */
import type { NodemailerError } from "nodemailer/lib/errors";
import { getErrorMessage } from "#lib/base/errors.ts";
import { escapeInvisibleCharacters } from "#lib/base/readable.ts";
import type { DriverErrorOptions } from "#lib/base/errors.ts";
import { MailError } from "#lib/drivers/mail/transport.ts";

interface SendContext {
  /** The mail server's host name and port, as `host:port`. */
  readonly server: string;
  readonly to: string;
  /** Secrets that the error message must not contain. */
  readonly secrets: readonly string[];
  /** Whether sending the email exceeded its time limit. */
  readonly late: boolean;
}

export function toMailError(error: unknown, { server, to, secrets, late }: SendContext): MailError {
  const { code = "unknown", originalCode, command, response, responseCode } = error as NodemailerError;
  const reply = redactReply(response ?? getErrorMessage(error), secrets);
  const transientError = (name: string, message: string, hint: string): MailError =>
    new MailError(name, message, { transient: true, hint });
  const permanentError = (name: string, message: string, more: Omit<DriverErrorOptions, "transient">): MailError =>
    new MailError(name, message, { transient: false, ...more });
  const reachHint = "Check SMTP_HOST, SMTP_PORT and the network.";

  if (late || code === "ETIMEDOUT") {
    return transientError("mail_timeout", `The mail server ${server} did not respond in time`, reachHint);
  }
  if (code === "EDNS") {
    return transientError("mail_unreachable", `The mail server ${server} could not be found: ${reply}`, reachHint);
  }
  if (isTls(code, originalCode)) {
    const hint =
      "The server's certificate must be valid for SMTP_HOST and issued by an authority that this machine trusts. With " +
      "SMTP_TLS=required the server must offer STARTTLS. If the connection must begin with TLS on a port other than 465, set " +
      "SMTP_TLS=implicit.";
    return transientError("mail_tls", `The mail server ${server} failed the TLS handshake: ${reply}`, hint);
  }
  if (code === "EAUTH" || code === "ENOAUTH" || responseCode === 530) {
    const hint = "Check SMTP_USER and SMTP_PASS. Queued emails are sent after the login succeeds.";
    return transientError("mail_login", `The mail server ${server} rejected the login: ${reply}`, hint);
  }
  const refused = isFinal(responseCode, response);
  if (command === "RCPT TO" && refused) {
    const hint = "Check the address for typos.";
    return permanentError("mail_recipient", `The mail server rejected mail for ${to}: ${reply}`, {
      blame: "user",
      hint,
    });
  }
  if (command === "DATA" && refused) {
    return permanentError("mail_refusal", `The mail server rejected the email: ${reply}`, {});
  }
  if (code === "EENVELOPE" && command === "API") {
    return permanentError("mail_address", `${to} is not a valid email address`, { blame: "user" });
  }
  if (command === "MAIL FROM" && refused) {
    const hint = "Check SMTP_FROM: the mail server must allow this sender.";
    return transientError("mail_sender", `The mail server ${server} rejected the sender: ${reply}`, hint);
  }
  if (responseCode) {
    const hint = "Delivery will be retried. If it keeps failing, check the mail server's log.";
    return transientError("mail_deferred", `The mail server ${server} deferred the email: ${reply}`, hint);
  }
  return transientError("mail_unreachable", `The mail server ${server} cannot be reached: ${reply}`, reachHint);
}

/** Returns whether the error code means that the email was rejected permanently. */
export function isPermanentRejection(code: string): boolean {
  return ["mail_recipient", "mail_refusal", "mail_address"].includes(code);
}

/** Returns the mail server's reply, which follows the first colon in a MailError's message. */
export function extractServerReply(message: string): string {
  const at = message.indexOf(": ");
  return at < 0 ? message : message.slice(at + 2);
}

/** Returns whether a reply is a permanent rejection (5xx). Treats 503 and policy rejections (5.7.x) as temporary. */
function isFinal(responseCode: number | undefined, response = ""): boolean {
  return responseCode !== undefined && responseCode >= 500 && responseCode !== 503 &&
    !/^\d{3}[ -]5\.7\.\d/.test(response);
}

const CERTIFICATE = /CERT|SELF_SIGNED|ISSUER|UNABLE_TO|ALTNAME/;

function isTls(code: string, originalCode = ""): boolean {
  return code === "ETLS" || CERTIFICATE.test(code) || CERTIFICATE.test(originalCode);
}

const MAX_REPLY_LENGTH = 300;

/** Returns the server's reply as one line without secrets, shortened to MAX_REPLY_LENGTH characters. */
export function redactReply(serverReply: string, secrets: readonly string[]): string {
  const sortedSecrets = secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length);
  const redacted = sortedSecrets.reduce((text, secret) => text.replaceAll(secret, "***"), serverReply.toWellFormed());
  // Also removes tokens from links, because a mail filter may have encoded a link differently.
  const line = redacted.replace(/\btoken=\S+/gi, "token=***").replace(/[\p{Cc}\s]+/gu, " ").trim();
  return escapeInvisibleCharacters(line).slice(0, MAX_REPLY_LENGTH).toWellFormed();
}
