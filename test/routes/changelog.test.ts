/** Tests the changelog at its three addresses, with an announcement. */
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { publicAccess } from "#lib/domains/auth/access.ts";
import type { ReleaseNotes } from "#lib/domains/changelog/releases.ts";
import { collectAnnouncedChanges } from "#lib/http/deprecation.ts";
import { endpoint, type Manifest } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";
import { manifest as routes } from "#src/manifest.ts";
import { releases } from "#src/releases.ts";
import { openServer } from "#src/server.ts";
import { createTestApp } from "#test/support/app.ts";
import { type ConformanceCheck, createConformanceCheck } from "#test/support/conformance.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { findAllElements, findOnlyElement, parseXml } from "#test/support/parse-xml.ts";

interface Context {
  readonly db: TestDatabase;
  readonly app: App;
  readonly ask: (path: string, headers?: Record<string, string>) => Promise<Response>;
}

const test = suite<{ here: Context }>("GET /changelog, /api/changelog, /changelog.atom");

const NOTES: readonly ReleaseNotes[] = [
  { version: "unreleased", date: null, changes: ["Soon: `one`."] },
  { version: "0.2.0", date: "2026-11-15", changes: ["Two.", "Three."] },
];
const ADDRESSES = ["/changelog", "/api/changelog", "/api/changelog.atom", "/changelog.atom"];
/** The current time of the tests. */
const NOON = new Date("2026-11-21T12:00:00Z");
const conform: ConformanceCheck = createConformanceCheck();

test.before(async (context) => {
  const db = await openTestDatabase();
  await shiftTo(db, NOON);
  const old = endpoint({
    summary: "Old",
    access: publicAccess,
    scope: "public",
    deprecated: { since: "2026-11-13", sunset: "2026-12-14", note: "Use `/api/version`." },
    reply: noContentReply,
    handle: () => undefined,
  });
  const manifest: Manifest = [["/api/old/:id", { GET: old }], ...routes];
  const limit = { name: "calls", title: "So many calls", since: "2026-10-12", from: "2026-11-20", note: "Call less." };
  const app = { ...await createTestApp(db), notices: collectAnnouncedChanges(manifest, [limit]) };
  const server = openServer(app, manifest, { releases: NOTES });
  const ask: Context["ask"] = (path, headers = {}) =>
    server.request(new Request(new URL(path, "http://localhost:3000"), { headers }));
  context.here = { db, app, ask };
});
test.after(async ({ here }) => {
  here.app.feeds.close();
  await here.db.close();
});

test("is JSON for programs: announcements with their dates, and the changes of each release", async ({ here }) => {
  const response = await here.ask("/api/changelog");
  assert.is(response.headers.get("content-type"), "application/json");
  const { notices, ...rest } = await response.json();
  assert.equal(rest, {
    api: "v0",
    version: here.app.release.version,
    releases: [
      { version: "unreleased", releasedAt: null, changes: ["Soon: `one`."] },
      { version: "0.2.0", releasedAt: "2026-11-15T00:00:00.000Z", changes: ["Two.", "Three."] },
    ],
  });
  const id = "GET/api/old/:id/2026-11-13";
  assert.equal(notices, [{
    id,
    kind: "deprecation",
    title: "GET /api/old/{id}",
    method: "GET",
    path: "/api/old/{id}",
    state: "announced",
    announcedAt: "2026-11-13T00:00:00.000Z",
    takesEffectAt: "2026-12-14T00:00:00.000Z",
    note: "Use `/api/version`.",
    url: `http://localhost:3000/changelog#${id}`,
  }, {
    id: "limit/calls",
    kind: "limit",
    title: "So many calls",
    state: "in_effect",
    announcedAt: "2026-10-12T00:00:00.000Z",
    takesEffectAt: "2026-11-20T00:00:00.000Z",
    note: "Call less.",
    url: "http://localhost:3000/changelog#limit/calls",
  }]);
});

test("shows on its page what deprecation headers link to, and when the endpoint ends", async ({ here }) => {
  const link = (await here.ask("/api/old/7")).headers.get("link") ?? "";
  const [, address = ""] = /^<([^>]+)>; rel="deprecation"/.exec(link) ?? [];
  const { pathname, hash } = new URL(address);
  const page = await (await here.ask(pathname)).text();
  assert.match(page, `<article class="notice-card" id="${hash.slice(1)}">`);
  assert.match(page, "<strong>Ends in 23 days</strong>");
});

test("uses the database's clock", async ({ here }) => {
  const states = async () =>
    (await (await here.ask("/api/changelog")).json()).notices.map((one: { state: string }) => one.state);
  assert.equal(await states(), ["announced", "in_effect"]);
  await shiftTo(here.db, new Date("2026-12-14"));
  assert.equal(await states(), ["in_effect", "in_effect"]);
  assert.not.match(await (await here.ask("/changelog")).text(), "Ends in");
  await shiftTo(here.db, new Date("2026-11-12T23:00:00Z"));
  assert.is(
    findAllElements(parseXml(await (await here.ask("/changelog.atom")).text()), "entry").length,
    1,
    "the limit alone",
  );
  await shiftTo(here.db, NOON);
});

test("is the same feed at both addresses", async ({ here }) => {
  const [one, other] = await Promise.all(["/changelog.atom", "/api/changelog.atom"].map((path) => here.ask(path)));
  assert.is(one!.headers.get("content-type"), "application/atom+xml; charset=utf-8");
  const text = await one!.text();
  assert.is(await other!.text(), text);
  assert.equal(findAllElements(parseXml(text), "entry").map((entry) => findOnlyElement(entry, "title")).sort(), [
    "Deprecated: GET /api/old/{id}",
    "New limit: So many calls",
    "Wheelwright 0.2.0",
  ]);
});

test("is a page with its own content security policy, without scripts", async ({ here }) => {
  const response = await here.ask("/changelog");
  assert.is(response.headers.get("content-type"), "text/html; charset=utf-8");
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(await response.text()) ?? [];
  assert.is(
    response.headers.get("content-security-policy"),
    `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; img-src data:; ` +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
});

test("is the same for everyone, with 304 for unchanged content", async ({ here }) => {
  for (const path of ADDRESSES) {
    const plain = await here.ask(path), etag = plain.headers.get("etag")!;
    const other = await here.ask(path, { authorization: "Bearer nonsense", cookie: "wheelwright=nonsense" });
    assert.equal([other.status, other.headers.get("etag")], [200, etag], path);
    assert.is(await other.text(), await plain.text());
    assert.is(plain.headers.get("cache-control"), "public, max-age=300");
    const again = await here.ask(path, { "if-none-match": `W/${etag}` });
    assert.equal([again.status, await again.text()], [304, ""], path);
    conform({ method: "GET", path, status: 304, headers: again.headers, text: "" });
  }
});

test("is documented, with the program's announcements and CHANGELOG.md", async ({ here }) => {
  const server = openServer({ ...here.app, notices: [] }, routes);
  for (const path of ADDRESSES) {
    const { status, headers, ...rest } = await server.request(new Request(`http://localhost:3000${path}`))
      .then(async (response) => ({ status: response.status, headers: response.headers, text: await response.text() }));
    assert.is(status, 200);
    conform({ method: "GET", path, status, headers, ...rest });
    if (path === "/changelog") {
      assert.is(
        [...rest.text.matchAll(/<li>/g)].length - 2,
        releases.flatMap(({ changes }) => changes).length,
      );
    }
  }
});

test.run();

async function shiftTo(db: TestDatabase, at: Date): Promise<void> {
  await db.shiftClock(at.getTime() - Date.now());
}
