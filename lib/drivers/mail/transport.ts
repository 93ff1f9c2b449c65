/** What takes a mail out of our hands, and what it is given: the mail, also as nodemailer wants it. */
import type { SendMailOptions } from "nodemailer";
import { DriverError } from "#lib/base/errors.ts";
import type { Template } from "#lib/drivers/mail/letter.ts";
import { cleanName } from "#lib/drivers/mail/names.ts";

/** Why a mail could not be sent. Only words that were cleared of the password and of the link go on from here. */
export class MailError extends DriverError {
  override readonly name = "MailError";
}

/** A mail as it goes out. */
export interface Mail {
  /** Its Message-ID without the brackets: the same each time that this mail is sent. */
  readonly id: string;
  readonly template: Template;
  readonly to: { readonly email: string; readonly name: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The address in its button. No error and no log line of a service holds it, nor the secret in it; dev tells it. */
  readonly link: string | null;
}

/** What may be logged of it. */
interface Receipt {
  /** The server's last word, or null where none exists. */
  readonly answer: string | null;
  /** The file that it is in now, on the machine where it is tried in dev. */
  readonly file: string | null;
}

export interface MailTransport {
  /** Resolves once somebody else has the mail. Throws MailError; or the signal's reason, and then it may be out or not. */
  send(mail: Mail, signal: AbortSignal): Promise<Receipt>;
  /** Cuts what is under way. */
  close(): void;
}

const MAX_NAME_LENGTH = 60;

/** What anybody can have sent to any address bears no name: it may be one that he gave, and say what he likes. */
const WITHOUT_NAME: readonly Template[] = ["verification", "password-reset"];

/** `from` is an address, or a name and an address: `Hubs <hubs@example.org>`. */
export function composeMail(mail: Mail, from: string): SendMailOptions {
  const { email } = mail.to;
  const name = WITHOUT_NAME.includes(mail.template) || mail.to.name === email
    ? ""
    : cleanName(mail.to.name, MAX_NAME_LENGTH);
  return {
    from: senderOf(from),
    to: { name, address: email },
    // Not as text, which would be searched for addresses.
    envelope: { from: { name: "", address: senderOf(from).address }, to: { name: "", address: email } },
    messageId: `<${mail.id}>`,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // No holiday reply and no list answers a machine (RFC 3834, and the same for Exchange).
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    // What stands in a mail is text, never the name of a file or an address to read it from.
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
