/**
 * Writes the changelog as an Atom feed (RFC 4287). IDs do not depend on the service's address, so that feed readers do
 * not show old entries again after a move. An announcement with a date in the future is added on that date.
 */
import { createHash } from "node:crypto";
import type { App } from "#lib/app.ts";
import { CHANGELOG_FEED_PATH, CHANGELOG_PATH } from "#lib/domains/changelog/anchors.ts";
import type { ReleaseNotes } from "#lib/domains/changelog/releases.ts";
import { buildChangelog, type Changelog, type ChangelogAnnouncement } from "#lib/domains/changelog/view.ts";
import { formatDateTime } from "#lib/reference/changelog/dates.ts";
import { renderInlineMarkdown } from "#lib/reference/page/code.ts";
import { buildAbsoluteUrl } from "#lib/base/config.ts";
import { markup } from "#lib/http/page.ts";

export async function buildChangelogFeed(app: App, releases: readonly ReleaseNotes[]): Promise<string> {
  const now = await app.db.now();
  return renderAtomFeed(buildChangelog(app, releases, now), app.config.publicUrl, now);
}

interface Entry {
  /** The name from which the entry's ID is derived. */
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly url: string;
  readonly published: Date;
  /** The entry's text as HTML. */
  readonly content: string;
}

/** The time in the `updated` element if the feed has no entries. */
const BEGINNING = new Date("2026-11-21T00:00:00Z");

export function renderAtomFeed(changelog: Changelog, publicUrl: URL, now: Date): string {
  const page = buildAbsoluteUrl(publicUrl, CHANGELOG_PATH).href;
  const entries = entriesOf(changelog, page).filter(({ published }) => published <= now)
    .sort((a, b) => b.published.getTime() - a.published.getTime());
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    element("id", idOf("feed")),
    element("title", "Wheelwright changelog"),
    element("subtitle", "API changes, announced at least 30 days ahead, and release notes"),
    element("updated", (entries[0]?.published ?? BEGINNING).toISOString()),
    `<author>${element("name", "Wheelwright")}</author>`,
    link("self", "application/atom+xml", buildAbsoluteUrl(publicUrl, CHANGELOG_FEED_PATH).href),
    link("alternate", "text/html", page),
    ...entries.map(writeEntry),
    "</feed>\n",
  ].join("\n");
}

function entriesOf({ notices, releases }: Changelog, page: string): Entry[] {
  return [
    ...notices.map(entryOfNotice),
    ...releases.flatMap(({ version, releasedAt, changes }): Entry[] => {
      if (releasedAt === null) return [];
      const content = String(
        markup`<ul>${changes.map((change) => markup`<li>${renderInlineMarkdown(change)}</li>`)}</ul>`,
      );
      const name = `release ${version}`, title = `Wheelwright ${version}`, url = `${page}#v${version}`;
      return [{ name, kind: "release", title, url, published: releasedAt, content }];
    }),
  ];
}

function entryOfNotice({ id, kind, title, url, note, announcedAt, takesEffectAt }: ChangelogAnnouncement): Entry {
  const day = formatDateTime(takesEffectAt);
  const [opening, effect] = kind === "deprecation"
    ? ["Deprecated", `The endpoint works unchanged until ${day}.`]
    : ["New limit", `The limit applies from ${day} on.`];
  const content = String(markup`<p>${renderInlineMarkdown(note)}</p><p>${effect}</p>`);
  return { name: `notice ${id}`, kind, title: `${opening}: ${title}`, url, published: announcedAt, content };
}

function writeEntry({ name, kind, title, url, published, content }: Entry): string {
  return [
    "<entry>",
    element("id", idOf(name)),
    element("title", title),
    element("published", published.toISOString()),
    element("updated", published.toISOString()),
    link("alternate", "text/html", url),
    `<category term="${escape(kind)}"/>`,
    `<content type="html">${escape(content)}</content>`,
    "</entry>",
  ].join("\n");
}

function element(name: string, text: string): string {
  return `<${name}>${escape(text)}</${name}>`;
}

function link(rel: string, type: string, href: string): string {
  return `<link rel="${rel}" type="${type}" href="${escape(href)}"/>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for XML. Replaces characters that XML cannot contain with U+FFFD. */
function escape(text: string): string {
  return text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

/** The random namespace for UUIDs of entries. If this value changed, feed readers would show all entries again. */
const NAMESPACE = "2753f5bb-9c51-4e10-acda-42bc07bb7773";

/** Returns a name-based UUID (RFC 9562, version 5) as a URN. */
function idOf(name: string): string {
  const hash = createHash("sha1").update(NAMESPACE.replaceAll("-", ""), "hex").update(name).digest().subarray(0, 16);
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  return `urn:uuid:${
    [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
  }`;
}
