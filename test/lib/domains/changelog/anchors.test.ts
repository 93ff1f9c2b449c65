import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildNoticeUrl, getNoticeAnchor } from "#lib/domains/changelog/anchors.ts";
import type { AnnouncedDeprecation, AnnouncedLimitChange } from "#lib/base/notice.ts";

const test = suite("anchorOf");

const since = new Date("2026-12-01"), later = new Date("2027-01-15");
const endpoint = (method: string, path: string, at = since): AnnouncedDeprecation => {
  const id = `endpoint ${method} ${path} ${at.toISOString()}`;
  return { kind: "endpoint", id, method, path, pattern: path, since: at, sunset: later, note: "Use another." };
};
const limit = (name: string): AnnouncedLimitChange => {
  return { kind: "limit", id: `limit ${name}`, title: "So many", since, from: later, note: "Ask less." };
};

test("contains the endpoint and the day, and nothing that may be reworded", () => {
  const notice = endpoint("DELETE", "/api/spokes/{spokeId}");
  assert.is(getNoticeAnchor(notice), "DELETE/api/spokes/:spokeId/2026-12-01");
  assert.is(
    getNoticeAnchor({ ...notice, note: "Other words.", sunset: new Date("2028-01-01") }),
    getNoticeAnchor(notice),
  );
  assert.is(getNoticeAnchor(limit("requests-per-token")), "limit/requests-per-token");
  assert.is(getNoticeAnchor({ ...limit("x"), title: "Other words", since: later }), "limit/x");
});

test("is unique for every announcement", () => {
  const all = [
    endpoint("GET", "/api/a/b"),
    endpoint("GET", "/api/a-b"),
    endpoint("GET", "/api/a/{b}"),
    endpoint("PUT", "/api/a/b"),
    endpoint("GET", "/api/a/b", new Date("2026-12-01T08:00:00Z")),
    endpoint("GET", "/api/a/b", later),
    limit("a b"),
    limit("a/b"),
    limit("a%20b"),
  ].map(getNoticeAnchor);
  assert.is(new Set(all).size, all.length);
});

test("needs no escaping in a URL or a header", () => {
  const publicUrl = new URL("https://example.org/");
  for (const notice of [endpoint("GET", "/api/a/{b}", new Date("2026-12-01T08:00:00Z")), limit('a "b" <c>\n')]) {
    const address = buildNoticeUrl(publicUrl, notice);
    assert.is(address, `https://example.org/changelog#${getNoticeAnchor(notice)}`);
    assert.is(new URL(address).href, address);
    assert.match(address, /^[!-~]+$/);
    assert.not.match(address, /["<>]/);
  }
});

test.run();
