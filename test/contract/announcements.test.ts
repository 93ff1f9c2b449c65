import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findShortAnnouncements } from "#test/contract/announcements.ts";
import {
  CHECK_DATE,
  cloneDocument,
  findBreaks,
  type Json,
  loadCurrentDocument,
  surfaceIn,
} from "#test/support/contract.ts";

const test = suite("checkAnnouncement, on the current document");

const PATH = "/api/my-spokes";
/** The endpoints of spokes. Trying so many changes on all endpoints takes too long. */
const present = loadCurrentDocument().then(({ paths, ...others }) => ({
  ...others,
  paths: Object.fromEntries(Object.entries(paths).filter(([path]) => /^.api.(?:my-)?spokes/.test(path))),
}));

const declare = (since: unknown, sunset: unknown, path = PATH) => ({ paths }: Json) =>
  Object.assign(paths[path].get, { deprecated: true, "x-deprecation": { since, sunset, note: "Use /api/spokes" } });
const remove = ({ paths }: Json) => delete paths[PATH];
const spoil = ({ paths }: Json) =>
  paths[PATH].get.responses[200].content["application/json"].schema = { type: "string" };
const expected = (allowed: boolean, words: string) => [{ allowed, reason: words }];

async function checkAll(declared: (document: Json) => void, change: (document: Json) => void, today = CHECK_DATE) {
  return findBreaks(cloneDocument(await present, declared), change, today).map(({ check }) => check);
}

const IN_TIME = declare("2026-12-01", "2027-01-15");
const KNOWN = "announced on 2026-12-01 with the sunset 2027-01-15";

test("accepts an announced change from its sunset on", async () => {
  assert.equal(await checkAll(IN_TIME, remove, "2027-01-15"), expected(true, `Allowed: ${KNOWN}`));
  assert.equal(await checkAll(IN_TIME, remove, "2028-01-01"), expected(true, `Allowed: ${KNOWN}`));
  assert.equal(await checkAll(IN_TIME, spoil, "2027-01-15"), expected(true, `Allowed: ${KNOWN}`));
});

test("rejects the change one day before the sunset", async () => {
  const early = "the change may be released in 1 day";
  assert.equal(await checkAll(IN_TIME, remove, "2027-01-14"), expected(false, `Too early: ${KNOWN}; ${early}`));
  assert.equal(
    await checkAll(IN_TIME, remove, "2027-01-05"),
    expected(false, `Too early: ${KNOWN}; ${early.replace("1 day", "10 days")}`),
  );
  const noon = declare("2026-12-01T12:00:00Z", "2027-01-15T12:00:00Z");
  assert.is((await checkAll(noon, remove, "2027-01-15"))[0]!.allowed, false);
  assert.is((await checkAll(noon, remove, "2027-01-16"))[0]!.allowed, true);
});

test("rejects a breaking change that was announced less than 30 days ahead", async () => {
  const words = "Announced only 29 days ahead instead of 30. Release a sunset not before 2026-12-31";
  assert.equal(await checkAll(declare("2026-12-01", "2026-12-30"), remove, "2027-06-01"), expected(false, words));
  assert.is((await checkAll(declare("2026-12-01", "2026-12-31"), remove, "2027-06-01"))[0]!.allowed, true);
});

test("rejects a breaking change that no release announced", async () => {
  const nothing = () => undefined;
  const words =
    "Not announced. The change may be released 30 days after a release that announces it, not before 2026-12-21";
  assert.equal(await checkAll(nothing, remove), expected(false, words));
  assert.equal(await checkAll(nothing, spoil), expected(false, words));
  for (
    const vague of [declare(undefined, "2026-01-01"), declare("soon", "2026-01-01"), declare("2025-01-01", "later")]
  ) {
    assert.equal(await checkAll(vague, remove), expected(false, words));
  }
  const unmarked = ({ paths }: Json) =>
    Object.assign(paths[PATH].get, { "x-deprecation": { since: "2025-01-01", sunset: "2026-01-01" } });
  assert.equal(await checkAll(unmarked, remove), expected(false, words));
});

test("reports when an unreleased announcement takes effect", async () => {
  const both = (since: string, sunset: string) => (document: Json) => {
    declare(since, sunset)(document);
    spoil(document);
  };
  const begin = "Announced, but not in a release yet. Release the announcement alone";
  assert.equal(
    await checkAll(() => undefined, both("2026-11-21", "2027-02-01")),
    expected(false, `${begin}. The change may be released on 2027-02-01 or later`),
  );
  // The document claims an early announcement that no release contained.
  assert.equal(
    await checkAll(() => undefined, both("2025-01-01", "2025-12-01")),
    expected(false, `${begin}, with a sunset not before 2026-12-21. The change may be released on 2026-12-21 or later`),
  );
});

test("checks each operation by its own announcement", async () => {
  const found = findBreaks(
    cloneDocument(await present, IN_TIME),
    ({ components }) => delete components.schemas.Spoke.properties.slug,
    "2027-02-01",
  );
  const allowed = found.filter(({ check }) => check.allowed).map(({ operation }) => operation);
  assert.equal(allowed, [`GET ${PATH}`]);
  assert.ok(found.length > 5);
});

test("uses the given date", async () => {
  const document = await present;
  assert.throws(() => findBreaks(document, remove, "tomorrow"), /tomorrow is no day/);
});

const hasty = suite("findHasty, on the current document");

async function hastyAfter(announce: (document: Json) => void, now: (document: Json) => void, today = CHECK_DATE) {
  const before = cloneDocument(await present, announce);
  return findShortAnnouncements(surfaceIn(before), surfaceIn(cloneDocument(await present, now)), today);
}

hasty("finds a sunset that is announced less than 30 days ahead", async () => {
  const nothing = () => undefined,
    announce = `GET ${PATH}: its sunset is 2026-12-20, but must be 2026-12-21 or later to be released today`;
  assert.equal(await hastyAfter(nothing, declare("2026-01-01", "2026-12-20")), [announce]);
  assert.equal(await hastyAfter(nothing, declare("2026-01-01", "2026-12-21")), []);
  assert.equal(await hastyAfter(nothing, nothing), []);
});

hasty("allows a sunset to stay, to move later, and to move earlier if 30 days are left", async () => {
  const announce = declare("2026-10-01", "2026-12-01");
  assert.equal(await hastyAfter(announce, announce), []);
  assert.equal(await hastyAfter(announce, declare("2026-10-01", "2026-12-05")), []);
  assert.equal(await hastyAfter(announce, declare("2026-10-01", "2026-11-30")), [
    `GET ${PATH}: its sunset is 2026-11-30, but must be 2026-12-01 or later to be released today`,
  ]);
  assert.equal(await hastyAfter(declare("2026-10-01", "2027-12-01"), declare("2026-10-01", "2026-12-21")), []);
});

hasty("ignores endpoints that were never released", async () => {
  const fresh = (document: Json) => {
    document.paths["/api/fresh"] = structuredClone(document.paths[PATH]);
    declare("2026-11-21", "2026-11-30", "/api/fresh")(document);
  };
  assert.equal(await hastyAfter(() => undefined, fresh), []);
});

test.run();
hasty.run();
