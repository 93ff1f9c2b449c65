/** Tests the content and order of the changelog page, and that text is escaped. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Changelog, ChangelogAnnouncement } from "#lib/domains/changelog/view.ts";
import { renderChangelogPage } from "#lib/reference/changelog/page.ts";
import { renderPage } from "#lib/http/page.ts";

const test = suite("renderChangelogPage");

const NOW = new Date("2026-11-28T12:00:00Z");

function notice(id: string, takesEffect: string, more: Partial<ChangelogAnnouncement> = {}): ChangelogAnnouncement {
  return {
    id,
    kind: "deprecation",
    title: "DELETE /api/x/{id}",
    ...(more.kind !== "limit" && { method: "DELETE", path: "/api/x/{id}" }),
    state: "announced",
    announcedAt: new Date("2026-11-01"),
    takesEffectAt: new Date(takesEffect),
    note: "Use `/api/y`.",
    url: "https://hubs.example.org/changelog",
    ...more,
  };
}

const LIMIT = { kind: "limit", title: "Requests: 600 a minute" } as const;
const RELEASES = [
  { version: "unreleased", releasedAt: null, changes: [] },
  { version: "0.2.0", releasedAt: new Date("2026-11-15"), changes: ["One `a<b>`, **two**."] },
];

const pageOf = (notices: ChangelogAnnouncement[], releases: Changelog["releases"] = RELEASES) =>
  renderPage(renderChangelogPage({ api: "v0", version: "0.2.0", notices, releases }, NOW));
const bodyOf = (page: string) => page.slice(page.indexOf("<body>"));
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one]) => one!);
const plain = (html: string) => html.replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim();

test("lists announcements first, the soonest first, then releases, then past announcements", () => {
  const body = bodyOf(pageOf([
    notice("later", "2027-02-01"),
    notice("limit/soon", "2026-12-21", LIMIT),
    notice("old", "2026-11-28T11:00:00Z", { state: "in_effect" }),
  ]));
  const order = ["main", "top", "announced", "limit/soon", "later", "releases", "unreleased", "v0.2.0", "past", "old"];
  assert.equal(found(body, /\bid="([^"]+)"/g), order);
});

test("shows the day and the time until then", () => {
  const whens = (one: ChangelogAnnouncement) => found(bodyOf(pageOf([one])), /<p class="when">(.*?)<\/p>/gs).map(plain);
  assert.equal(whens(notice("a", "2026-12-21")), ["Ends in 23 days, on 21 December 2026"]);
  assert.equal(whens(notice("a", "2026-12-21", LIMIT)), ["Takes effect in 23 days, on 21 December 2026"]);
  assert.equal(whens(notice("a", "2026-11-29T18:00:00Z")), ["Ends tomorrow, on 29 November 2026, 18:00 UTC"]);
  assert.equal(whens(notice("a", "2026-11-01", { state: "in_effect" })), ["Ended on 1 November 2026"]);
  assert.equal(whens(notice("a", "2026-11-01", { ...LIMIT, state: "in_effect" })), ["In effect since 1 November 2026"]);
});

test("shows a note if nothing is announced", () => {
  assert.match(bodyOf(pageOf([])), "No changes are announced.");
  assert.not.match(bodyOf(pageOf([notice("a", "2026-12-21")])), "No changes are announced.");
});

test("shows the endpoint, the instructions and the announcement date", () => {
  const [article = ""] = found(
    bodyOf(pageOf([notice("GET/api/x/:id/2026-11-01", "2026-12-21")])),
    /(<article.*?<\/article>)/gs,
  );
  assert.match(article, 'id="GET/api/x/:id/2026-11-01"');
  assert.match(article, 'href="#GET/api/x/:id/2026-11-01"');
  assert.match(plain(article), "DELETE /api/x/{id}");
  assert.match(plain(article), "Use /api/y.");
  assert.match(plain(article), "Announced on 1 November 2026");
});

test("escapes all text", () => {
  const evil = `<script>alert(1)</script> **<i>** \`<b>\` "'&`;
  const body = bodyOf(pageOf(
    [notice(`a"><i>`, "2026-12-21", { ...LIMIT, title: evil, note: evil })],
    [{ version: "0.2.0", releasedAt: NOW, changes: [evil] }],
  ));
  assert.equal(found(body, /(<script|<i>|<b>)[^\d]/g), []);
  assert.is(found(body, /(<strong>&lt;i&gt;<\/strong> <code>&lt;b&gt;<\/code>)/g).length, 2);
});

test("links to the feed and the reference, and loads nothing from elsewhere", () => {
  const page = pageOf([notice("a", "2026-12-21")]);
  assert.match(
    page,
    '<link rel="alternate" type="application/atom+xml" title="Wheelwright changelog" href="/changelog.atom">',
  );
  const urls = found(page, /\b(?:src|href|action)="((?!#|data:)[^"]*)"/g);
  assert.equal([...new Set(urls)], ["/changelog.atom", "/api/docs", "/api/changelog"]);
  assert.equal(found(bodyOf(page), /(\sstyle=|<style|<script|\son\w+=)/g), []);
});

test("has no broken anchor, and headings in order", () => {
  const body = bodyOf(pageOf([notice("a", "2026-12-21"), notice("b", "2026-11-01", { state: "in_effect" })]));
  const ids = found(body, /\bid="([^"]+)"/g);
  assert.is(new Set(ids).size, ids.length);
  assert.equal(found(body, /href="#([^"]+)"/g).filter((id) => !ids.includes(id)), []);
  const levels = found(body, /<h([1-6])/g).map(Number);
  assert.is(levels.filter((level) => level === 1).length, 1);
  assert.ok(levels.every((level, i) => i === 0 || level <= levels[i - 1]! + 1));
});

test.run();
