/**
 * A page for people: HTML that asks no other server for anything, with the policy that keeps it so.
 *
 * Style and script are in the page, and the policy names their hashes: whatever else got into it would not run. They
 * are written into the page here and nowhere else, so that page and policy cannot disagree. Pages that come often name a
 * style sheet and a script of ours instead, which browsers keep.
 */
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

export interface HtmlPage {
  readonly title: string;
  /** The feed that tells what is new on it: browsers and readers of feeds find it by itself. */
  readonly feed?: { readonly title: string; readonly href: string };
  /** CSS of ours: never a caller's text. */
  readonly style: string;
  /** The path of a style sheet of ours, for pages that come often. */
  readonly sheet?: string;
  /** A script of ours, run once the page is there; the page must make sense without. */
  readonly script?: string;
  /** The path of a script of ours, for pages that come often: it may ask this server, and nobody else. */
  readonly source?: string;
  readonly body: Markup;
}

/** HTML in which every value was escaped. */
export type Markup = HtmlEscapedString;

/** A tag for templates: `` markup`<p>${text}</p>` `` escapes the text, and takes other markup as it is. */
export function markup(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  const made = html(strings, ...values);
  if (made instanceof Promise) throw new Error("A page is made of values that are there, not of promises");
  return made;
}

/** Markup that was made otherwise, such as a drawing of ours: never a caller's text. */
export function trustedMarkup(text: string): Markup {
  return raw(text);
}

/** The whole document. */
export function renderPage({ title, feed, style, sheet, script, source, body }: HtmlPage): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">${
    feed ? markup`\n<link rel="alternate" type="application/atom+xml" title="${feed.title}" href="${feed.href}">` : ""
  }${sheet === undefined ? "" : markup`\n<link rel="stylesheet" href="${sheet}">`}${
    style === "" && sheet !== undefined ? "" : markup`\n<style>${trustedMarkup(style)}</style>`
  }${source === undefined ? "" : markup`\n<script src="${source}" defer></script>`}
</head>
<body>
${body}
${script === undefined ? "" : markup`<script>${trustedMarkup(script)}</script>`}
</body>
</html>
`.toString();
}

/** The Content-Security-Policy of that document: its own style and script, its own forms, and nothing else. */
export function contentSecurityPolicy({ style, sheet, script, source }: HtmlPage): string {
  const styles = [
    ...(sheet === undefined ? [] : ["'self'"]),
    ...(style === "" && sheet !== undefined ? [] : [hashOf(style)]),
  ];
  return [
    "default-src 'none'",
    `style-src ${styles.join(" ")}`,
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

/** A wheel. It stands in each page itself: a browser would ask for /favicon.ico otherwise. */
export const ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#1f9c82" stroke-width="2.6"><circle cx="16" cy="16" r="13"/><path d="M16 3v26M3 16h26M6.8 6.8l18.4 18.4M6.8 25.2 25.2 6.8"/></svg>`;
