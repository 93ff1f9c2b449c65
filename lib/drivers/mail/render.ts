/** Renders a mail: subject, text and HTML. */
import { absoluteUrl } from "#lib/base/config.ts";
import { renderHtml } from "#lib/drivers/mail/html.ts";
import type { Letter, MailTemplate } from "#lib/drivers/mail/letter.ts";
import { renderText } from "#lib/drivers/mail/text.ts";
import { mailContentOf } from "#lib/drivers/mail/templates.ts";

/** The page of each template's one-time link. */
const LINK_PAGES: Readonly<Partial<Record<MailTemplate, string>>> = {
  invitation: "/invite",
  "password-reset": "/reset",
  verification: "/verify",
};

/** The public page of templates without a one-time link. */
const PUBLIC_PAGES: Readonly<Partial<Record<MailTemplate, string>>> = { announcement: "/changelog" };

export interface RenderedLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function hasOneTimeLink(template: MailTemplate): boolean {
  return LINK_PAGES[template] !== undefined;
}

/** Returns the link with the secret. `home` is the public URL of the service. */
export function mailLinkOf(template: MailTemplate, home: URL, secret: string): string {
  const page = LINK_PAGES[template];
  if (page === undefined) throw new Error(`The email ${template} has no link`);
  const link = absoluteUrl(home, page);
  link.searchParams.set("token", secret);
  return link.href;
}

/** Returns the public page with more information, or null. */
export function publicPageOf(template: MailTemplate, home: URL): string | null {
  const page = PUBLIC_PAGES[template];
  return page === undefined ? null : absoluteUrl(home, page).href;
}

export function renderLetter(letter: Letter, home: URL, link: string | null): RenderedLetter {
  const content = mailContentOf(letter, home), context = { home, link, to: letter.to.email };
  return { subject: content.subject, text: renderText(content, context), html: renderHtml(content, context) };
}
