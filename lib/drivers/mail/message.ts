/** The headers and parts of a mail, as nodemailer wants them. */
import type { SendMailOptions } from "nodemailer";
import type { Template } from "#lib/drivers/mail/letter.ts";
import { tidy } from "#lib/drivers/mail/names.ts";
import type { Mail } from "#lib/drivers/mail/post.ts";

const NAME_MOST = 60;

/** What anybody can have sent to any address bears no name: it may be one that he gave, and say what he likes. */
const NAMELESS: readonly Template[] = ["verification", "password-reset"];

/** `from` is an address, or a name and an address: `Hubs <hubs@example.org>`. */
export function messageOf(mail: Mail, from: string): SendMailOptions {
  const { email } = mail.to;
  const name = NAMELESS.includes(mail.template) || mail.to.name === email ? "" : tidy(mail.to.name, NAME_MOST);
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
  return { name: tidy(name!.replace(/^\s*"|"\s*$/g, ""), NAME_MOST) || "Wheelwright", address: address.trim() };
}
