/** Writes a letter: subject, text and HTML, from the words of its template. */
import { absoluteUrl } from "#lib/base/config.ts";
import { renderHtml } from "#lib/drivers/mail/html.ts";
import type { Letter, Template } from "#lib/drivers/mail/letter.ts";
import { renderText } from "#lib/drivers/mail/text.ts";
import { contentOf } from "#lib/drivers/mail/templates.ts";

/** The page that a letter's one-time link leads to. */
const LINK_PAGES: Readonly<Partial<Record<Template, string>>> = {
  invitation: "/invite",
  "password-reset": "/reset",
  verification: "/verify",
};

/** And where there is nothing to be opened, but something to be read by anybody. */
const READING_PAGES: Readonly<Partial<Record<Template, string>>> = { announcement: "/changelog" };

export interface RenderedLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function needsLink(template: Template): boolean {
  return LINK_PAGES[template] !== undefined;
}

/** Where the secret is to be used. `home` is the external address of the service, with or without a path. */
export function linkOf(template: Template, home: URL, secret: string): string {
  const page = LINK_PAGES[template];
  if (page === undefined) throw new Error(`A letter of ${template} has no link`);
  const link = absoluteUrl(home, page);
  link.searchParams.set("token", secret);
  return link.href;
}

/** Where there is more to be read; null for a letter that says it all, or has a link of its own. */
export function readingPageOf(template: Template, home: URL): string | null {
  const page = READING_PAGES[template];
  return page === undefined ? null : absoluteUrl(home, page).href;
}

export function renderLetter(letter: Letter, home: URL, link: string | null): RenderedLetter {
  const words = contentOf(letter, home), setting = { home, link, to: letter.to.email };
  return { subject: words.subject, text: renderText(words, setting), html: renderHtml(words, setting) };
}
