/** Defines mail transports, and converts mails for nodemailer. */
import type { SendMailOptions } from "nodemailer";
import { DriverError } from "#lib/base/errors.ts";
import type { MailTemplate } from "#lib/drivers/mail/letter.ts";
import { cleanName } from "#lib/drivers/mail/names.ts";

/** The error for a mail that could not be sent. The message contains neither the password nor the link. */
export class MailError extends DriverError {
  override readonly name = "MailError";
}

export interface Mail {
  /** The Message-ID without brackets. It stays the same when the mail is sent again. */
  readonly id: string;
  readonly template: MailTemplate;
  readonly to: { readonly email: string; readonly name: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The link of the mail's button. The link contains a secret, so errors and logs omit it, except in dev mode. */
  readonly link: string | null;
}

/** The loggable result of a sent mail. */
interface Receipt {
  /** The server's final reply, or null without a server. */
  readonly answer: string | null;
  /** The path of the written file in dev mode. */
  readonly file: string | null;
}

export interface MailTransport {
  /** Sends a mail. Throws MailError, or the signal's reason; after an abort, the mail may or may not have been sent. */
  send(mail: Mail, signal: AbortSignal): Promise<Receipt>;
  close(): void;
}

const MAX_NAME_LENGTH = 60;

/**
 * Mails that anybody can trigger for any address. They omit the recipient's name, because a stranger may have chosen
 * the name.
 */
const WITHOUT_NAME: readonly MailTemplate[] = ["verification", "password-reset"];

/** Converts a mail for nodemailer. `from` is an address, or a name and an address: `Hubs <hubs@example.org>`. */
export function composeMail(mail: Mail, from: string): SendMailOptions {
  const { email } = mail.to;
  const name = WITHOUT_NAME.includes(mail.template) || mail.to.name === email
    ? ""
    : cleanName(mail.to.name, MAX_NAME_LENGTH);
  return {
    from: senderOf(from),
    to: { name, address: email },
    // Passed as objects, because nodemailer would search text for more addresses.
    envelope: { from: { name: "", address: senderOf(from).address }, to: { name: "", address: email } },
    messageId: `<${mail.id}>`,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // Suppresses automatic replies (RFC 3834, and the same for Exchange).
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    // Content is never read from a file or URL.
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
