/** What takes a mail out of our hands, and what it is given. */
import type { Template } from "#lib/drivers/mail/letter.ts";

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

export interface Post {
  /** Resolves once somebody else has the mail. Throws MailError; or the signal's reason, and then it may be out or not. */
  send(mail: Mail, signal: AbortSignal): Promise<Receipt>;
  /** Cuts what is under way. */
  close(): void;
}
