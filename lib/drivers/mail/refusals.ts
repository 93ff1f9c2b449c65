/**
 * What went wrong between us and the mail server, in words, and whose turn it is.
 *
 * Final is only what would be the same next time: an address that there is not, a mail that is not taken. Whatever a
 * person may mend meanwhile (the server, its certificate, the password, the sender, a forbidden relay) is tried again.
 */
import type { NodemailerError } from "nodemailer/lib/errors";
import { messageOf } from "#lib/base/errors.ts";
import { makeReadable } from "#lib/base/readable.ts";
import type { DriverErrorOptions } from "#lib/base/errors.ts";
import { MailError } from "#lib/drivers/mail/transport.ts";

interface SendContext {
  /** `host:port`. */
  readonly server: string;
  /** The address that it was for. */
  readonly to: string;
  /** Texts that must not be repeated. */
  readonly secrets: readonly string[];
  /** Whether the mail's own time was over. */
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
    return permanentError("mail_refused", `The mail server rejected the mail: ${reply}`, {});
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

/** Whether this is the code of a mail that its server refuses for good: the same mail would be refused again. */
export function isRefusal(code: string): boolean {
  return ["mail_recipient", "mail_refused", "mail_address"].includes(code);
}

/** The mail server's own words in the message of a refusal. */
export function mailServerReply(message: string): string {
  const at = message.indexOf(": ");
  return at < 0 ? message : message.slice(at + 2);
}

/** 5xx; but what the server's policy forbids (5.7.x), such as relaying, is for a person to allow. */
function isFinal(responseCode: number | undefined, response = ""): boolean {
  return responseCode !== undefined && responseCode >= 500 && responseCode !== 503 &&
    !/^\d{3}[ -]5\.7\.\d/.test(response);
}

const CERTIFICATE = /CERT|SELF_SIGNED|ISSUER|UNABLE_TO|ALTNAME/;

function isTls(code: string, originalCode = ""): boolean {
  return code === "ETLS" || CERTIFICATE.test(code) || CERTIFICATE.test(originalCode);
}

const MAX_REPLY_LENGTH = 300;

/** On one line, bounded, and without the secrets in it. */
export function redactReply(said: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length);
  const left = known.reduce((text, secret) => text.replaceAll(secret, "***"), said.toWellFormed());
  // And of a link that was changed on its way (a filter that quotes it was encoded), what follows its name.
  const line = left.replace(/\btoken=\S+/gi, "token=***").replace(/[\p{Cc}\s]+/gu, " ").trim();
  return makeReadable(line).slice(0, MAX_REPLY_LENGTH).toWellFormed();
}
