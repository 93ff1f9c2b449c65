/**
 * Renders HTML pages with a strict Content-Security-Policy. Pages load nothing from other servers. The policy allows
 * inline styles and scripts by their hash, so that injected code does not run. Portal pages link to a style sheet and a
 * script instead, which browsers cache.
 */
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

export interface HtmlPage {
  readonly title: string;
  /** An Atom feed for the page, which feed readers can discover. */
  readonly feed?: { readonly title: string; readonly href: string };
  /** Inline CSS. Must not contain text that callers provide. */
  readonly style?: string;
  /** The path to a style sheet. */
  readonly sheet?: string;
  /** An inline script that runs at the end of the page. The page must also work without it. */
  readonly script?: string;
  /** The path to a script. The script can send requests only to this server. */
  readonly source?: string;
  /** A path to which the browser goes immediately. The page must also have a link to it. */
  readonly refresh?: string;
  readonly body: Markup;
}

/** HTML in which all inserted text has been escaped. */
export type Markup = HtmlEscapedString;

/** A template tag that escapes inserted text and leaves inserted markup unchanged: `` markup`<p>${text}</p>` ``. */
export function markup(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  const escaped = html(strings, ...values);
  if (escaped instanceof Promise) throw new Error("Await promises before rendering them in a page");
  return escaped;
}

/** Converts text, such as an SVG constant, to markup without escaping. Not safe for text from callers. */
export function trustedMarkup(text: string): Markup {
  return raw(text);
}

export function renderPage({ title, feed, style, sheet, script, source, refresh, body }: HtmlPage): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${refresh === undefined ? "" : markup`\n<meta http-equiv="refresh" content="0; url=${refresh}">`}
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON_SVG)}">${
    feed ? markup`\n<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.href}">` : ""
  }${sheet === undefined ? "" : markup`\n<link rel="stylesheet" href="${sheet}">`}${
    style === undefined ? "" : markup`\n<style>${trustedMarkup(style)}</style>`
  }${source === undefined ? "" : markup`\n<script src="${source}" defer></script>`}
</head>
<body>
${body}
${script === undefined ? "" : markup`<script>${trustedMarkup(script)}</script>`}
</body>
</html>
`.toString();
}

/** Returns a Content-Security-Policy that allows only the page's own style, script and forms. */
export function buildContentSecurityPolicy({ style, script, source }: HtmlPage): string {
  return [
    "default-src 'none'",
    `style-src ${style === undefined ? "'self'" : hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    ...(source === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** The site icon as SVG. Every page includes the icon, so that browsers do not request /favicon.ico. */
export const ICON_SVG =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#1f9c82" stroke-width="2.6"><circle cx="16" cy="16" r="13"/><path d="M16 3v26M3 16h26M6.8 6.8l18.4 18.4M6.8 25.2 25.2 6.8"/></svg>`;

/** The logo as SVG, in the colour of the surrounding text. Screen readers skip the logo, as the name is next to it. */
export const LOGO_SVG =
  `<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><circle cx="16" cy="16" r="13"/><circle cx="16" cy="16" r="3.2" fill="currentColor" stroke="none"/><path d="M16 3v8M16 21v8M3 16h8M21 16h8M6.8 6.8l5.7 5.7M19.5 19.5l5.7 5.7M6.8 25.2l5.7-5.7M19.5 12.5l5.7-5.7"/></svg>`;
