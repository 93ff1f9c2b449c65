/** Renders the subject, the plain text and the HTML for an email. */
import { buildAbsoluteUrl } from "#lib/base/config.ts";
import { renderMailHtml } from "#lib/drivers/mail/html.ts";
import type { MailTemplate, QueuedMail } from "#lib/drivers/mail/letter.ts";
import { renderMailText } from "#lib/drivers/mail/text.ts";
import { buildMailContent } from "#lib/drivers/mail/templates.ts";

/** For each email template, the path of the page that its one-time link opens. */
const LINK_PAGES: Readonly<Partial<Record<MailTemplate, string>>> = {
  invitation: "/invite",
  "password-reset": "/reset",
  verification: "/verify",
};

/** For email templates without a one-time link, the path of the public page to link to. */
const PUBLIC_PAGES: Readonly<Partial<Record<MailTemplate, string>>> = { announcement: "/changelog" };

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function hasOneTimeLink(template: MailTemplate): boolean {
  return LINK_PAGES[template] !== undefined;
}

/** Returns the one-time link that contains the secret. `home` is the service's public URL. */
export function buildMailLink(template: MailTemplate, home: URL, secret: string): string {
  const page = LINK_PAGES[template];
  if (page === undefined) throw new Error(`The email ${template} has no link`);
  const link = buildAbsoluteUrl(home, page);
  link.searchParams.set("token", secret);
  return link.href;
}

/** Returns the URL of the template's public page, or null if the template has none. */
export function getPublicPageUrl(template: MailTemplate, home: URL): string | null {
  const page = PUBLIC_PAGES[template];
  return page === undefined ? null : buildAbsoluteUrl(home, page).href;
}

export function renderMail(letter: QueuedMail, home: URL, link: string | null): RenderedMail {
  const content = buildMailContent(letter, home), context = { home, link, to: letter.to.email };
  return { subject: content.subject, text: renderMailText(content, context), html: renderMailHtml(content, context) };
}
