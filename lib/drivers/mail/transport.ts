/** Defines the interface for sending emails, and converts emails to nodemailer's format. */
import type { SendMailOptions } from "nodemailer";
import { DriverError } from "#lib/base/errors.ts";
import type { MailTemplate } from "#lib/drivers/mail/letter.ts";
import { cleanName } from "#lib/drivers/mail/names.ts";

/** The error for an email that could not be sent. The message omits the SMTP password and the email's link. */
export class MailError extends DriverError {
  override readonly name = "MailError";
}

export interface Mail {
  /** The Message-ID without angle brackets. Stays the same when the email is sent again. */
  readonly id: string;
  readonly template: MailTemplate;
  readonly to: { readonly email: string; readonly name: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link for the email's button. Errors and logs omit it, except in dev mode, because it contains a secret. */
  readonly link: string | null;
}

/** The result of sending an email. Safe to log. */
interface Receipt {
  /** The mail server's final reply. Null if the email was written to a file. */
  readonly answer: string | null;
  /** The path of the file that was written in dev mode. Null otherwise. */
  readonly file: string | null;
}

export interface MailTransport {
  /** Sends an email. Throws MailError or the signal's reason. After an abort, the email may still have been sent. */
  send(mail: Mail, signal: AbortSignal): Promise<Receipt>;
  close(): void;
}

const MAX_NAME_LENGTH = 60;

/** Templates that strangers can trigger. They omit the recipient's name, because a stranger may have chosen it. */
const WITHOUT_NAME: readonly MailTemplate[] = ["verification", "password-reset"];

/** Converts an email to nodemailer's format. `from` may include a name: `Hubs <hubs@example.org>`. */
export function composeMail(mail: Mail, from: string): SendMailOptions {
  const { email } = mail.to;
  const name = WITHOUT_NAME.includes(mail.template) || mail.to.name === email
    ? ""
    : cleanName(mail.to.name, MAX_NAME_LENGTH);
  return {
    from: senderOf(from),
    to: { name, address: email },
    // Passes addresses as objects, because nodemailer would look for additional addresses in text.
    envelope: { from: { name: "", address: senderOf(from).address }, to: { name: "", address: email } },
    messageId: `<${mail.id}>`,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // Suppresses automatic replies. The first header follows RFC 3834; the second header is for Microsoft Exchange.
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    // Prevents nodemailer from reading content from a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function senderOf(from: string): { readonly name: string; readonly address: string } {
  const [, name, address] = /^(.*)<([^<>]+)>\s*$/.exec(from) ?? [];
  if (address === undefined) return { name: "Wheelwright", address: from.trim() };
  return {
    name: cleanName(name!.replace(/^\s*"|"\s*$/g, ""), MAX_NAME_LENGTH) || "Wheelwright",
    address: address.trim(),
  };
}
