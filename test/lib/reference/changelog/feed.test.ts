/** Tests the Atom feed with a strict XML parser and the rules of RFC 4287. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Changelog, ChangelogAnnouncement } from "#lib/domains/changelog/view.ts";
import { renderAtomFeed } from "#lib/reference/changelog/feed.ts";
import { findAllElements, findOnlyElement, parseXml, type XmlElement } from "#test/support/parse-xml.ts";

const test = suite("renderAtomFeed");

const PUBLIC = new URL("https://hubs.example.org");
const NOW = new Date("2026-12-10T12:00:00Z");
const ATOM = "http://www.w3.org/2005/Atom";

/** The published IDs of the feed, a limit, a release and a deprecation. Other IDs would be new entries for readers. */
const IDS = [
  "urn:uuid:4022addc-5a2f-585c-84af-f885322b904a",
  "urn:uuid:1f1cab10-dadf-5a95-9605-435d1586dcbc",
  "urn:uuid:7fb45bfc-4fa1-59d1-a5c0-9eb8897aad82",
  "urn:uuid:36b5c807-146f-58b1-912c-191c03e353dc",
];

function notice(id: string, more: Partial<ChangelogAnnouncement> = {}): ChangelogAnnouncement {
  return {
    id,
    kind: "deprecation",
    title: "GET /api/x",
    state: "announced",
    announcedAt: new Date("2026-12-01"),
    takesEffectAt: new Date("2027-01-15T18:00:00Z"),
    note: "Use `/api/y`.",
    url: `https://hubs.example.org/changelog#${id}`,
    ...more,
  };
}

function changelog(notices: ChangelogAnnouncement[], releases: Changelog["releases"] = []): Changelog {
  return { api: "v0", version: "0.2.0", notices, releases };
}

const release = (version: string, day: string | null, ...changes: string[]) => ({
  version,
  releasedAt: day === null ? null : new Date(day),
  changes,
});

const feedOf = (log: Changelog, publicUrl = PUBLIC, now = NOW) => parseXml(renderAtomFeed(log, publicUrl, now));
const entriesOf = (feed: XmlElement) => findAllElements(feed, "entry");
const linksOf = (element: XmlElement) =>
  Object.fromEntries(findAllElements(element, "link").map(({ attributes }) => [attributes.rel, attributes]));

const FULL = changelog(
  [
    notice("limit/a", { kind: "limit", title: "Requests: 600 a minute", announcedAt: new Date("2026-12-05") }),
    notice("GET/api/x/2026-12-01"),
  ],
  [release("unreleased", null, "Not yet."), release("0.2.0", "2026-12-03", "One `a<b`.", "Two & **three**.")],
);

test("has the required elements of a feed and its entries once", () => {
  const feed = feedOf(FULL);
  assert.is(feed.name, "feed");
  const count = (element: XmlElement): number => {
    assert.is(element.space, ATOM);
    return element.children.reduce((sum, child) => sum + count(child), 1);
  };
  assert.ok(count(feed) > 25);
  for (const element of [feed, ...entriesOf(feed)]) {
    assert.match(
      findOnlyElement(element, "id"),
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    assert.ok(findOnlyElement(element, "title"));
    assert.match(findOnlyElement(element, "updated"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  assert.is(findOnlyElement(findAllElements(feed, "author")[0]!, "name"), "Wheelwright");
  assert.equal(linksOf(feed), {
    self: { rel: "self", type: "application/atom+xml", href: "https://hubs.example.org/changelog.atom" },
    alternate: { rel: "alternate", type: "text/html", href: "https://hubs.example.org/changelog" },
  });
  const ids = [feed, ...entriesOf(feed)].map((element) => findOnlyElement(element, "id"));
  assert.is(new Set(ids).size, ids.length);
});

test("has an entry for each announcement and release, newest first, but not for unreleased changes", () => {
  const entries = entriesOf(feedOf(FULL));
  assert.equal(
    entries.map((entry) => [findOnlyElement(entry, "title"), findOnlyElement(entry, "published").slice(0, 10)]),
    [
      ["New limit: Requests: 600 a minute", "2026-12-05"],
      ["Wheelwright 0.2.0", "2026-12-03"],
      ["Deprecated: GET /api/x", "2026-12-01"],
    ],
  );
  assert.equal(entries.map((entry) => linksOf(entry).alternate?.href), [
    "https://hubs.example.org/changelog#limit/a",
    "https://hubs.example.org/changelog#v0.2.0",
    "https://hubs.example.org/changelog#GET/api/x/2026-12-01",
  ]);
  assert.equal(entries.map((entry) => findAllElements(entry, "category")[0]?.attributes.term), [
    "limit",
    "release",
    "deprecation",
  ]);
});

test("contains the instructions and the deadline as HTML that is escaped once", () => {
  const contents = entriesOf(feedOf(FULL)).map((entry) => findOnlyElement(entry, "content"));
  assert.equal(contents, [
    "<p>Use <code>/api/y</code>.</p><p>The limit applies from 15 January 2027, 18:00 UTC on.</p>",
    "<ul><li>One <code>a&lt;b</code>.</li><li>Two &amp; <strong>three</strong>.</li></ul>",
    "<p>Use <code>/api/y</code>.</p><p>The endpoint works unchanged until 15 January 2027, 18:00 UTC.</p>",
  ]);
});

test("has the time of its newest entry, or a fixed time without entries", () => {
  assert.is(findOnlyElement(feedOf(FULL), "updated"), "2026-12-05T00:00:00.000Z");
  const empty = feedOf(changelog([], [release("unreleased", null, "Not yet.")]));
  assert.is(findOnlyElement(empty, "updated"), "2026-11-21T00:00:00.000Z");
  assert.equal(entriesOf(empty), []);
});

test("contains a future announcement from its date on", () => {
  const log = changelog([notice("a", { announcedAt: new Date("2026-12-11") })]);
  assert.is(entriesOf(feedOf(log)).length, 0);
  assert.is(entriesOf(feedOf(log, PUBLIC, new Date("2026-12-11"))).length, 1);
});

test("keeps its IDs if the service moves or texts change", () => {
  const idsOf = (feed: XmlElement) => [feed, ...entriesOf(feed)].map((element) => findOnlyElement(element, "id"));
  const moved = {
    ...FULL,
    notices: FULL.notices.map((one) => ({ ...one, note: "Other.", url: "https://other.example" })),
  };
  assert.equal(idsOf(feedOf(moved, new URL("http://other.example:3000"))), idsOf(feedOf(FULL)));
  assert.equal(idsOf(feedOf(FULL)), IDS);
});

test("is valid XML for any text", () => {
  const hard = "\u0000\u0008\u001b[1m \ud800 \uffff ]]> <![CDATA[ <!-- & \" ' 😀 \u0085";
  const log = changelog([notice("a", { title: hard, note: hard, url: `https://x.example/#${hard}` })], [
    release("0.2.0", "2026-12-03", hard),
  ]);
  const entries = entriesOf(feedOf(log));
  assert.is(entries.length, 2);
  // deno-lint-ignore no-control-regex
  const expected = hard.replace(/[\u0000\u0008\u001b\ud800\uffff]/gu, "\ufffd");
  assert.is(findOnlyElement(entries[1]!, "title"), `Deprecated: ${expected}`);
  assert.is(linksOf(entries[1]!).alternate?.href, `https://x.example/#${expected}`);
});

test.run();
