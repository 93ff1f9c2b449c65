import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findRestoredDataProblem } from "#lib/domains/backups/restore-test.ts";
import type { SiteIdentity } from "#lib/moodle/job-results.ts";

const test = suite("findRestoredDataProblem");

const SITE: SiteIdentity = {
  state: "installed",
  siteIdentifier: "one",
  version: "2024100712",
  release: "4.5.12",
  lockedUntil: null,
  counts: { courses: 3, users: 10 },
};
const same = { courses: 3, users: 10 };
const code = (site: Partial<SiteIdentity>, siteIdentifier: string | null, before = same, after = same) =>
  findRestoredDataProblem({ ...SITE, ...site }, { siteIdentifier, counts: { before, after } })?.code ?? null;

test("accepts only the same site with the recorded counts", () => {
  assert.is(code({}, "one"), null);
  assert.is(code({}, null), null, "where nobody has noted which site it was");
  assert.is(code({}, "another"), "AnotherSite");
  assert.is(code({ siteIdentifier: null }, "one"), "AnotherSite");
  for (const state of ["empty", "partial"] as const) assert.is(code({ state }, "one"), "NotInstalled", state);
});

test("accepts counts between the two recorded counts, whether they rose or fell", () => {
  for (const [before, after] of [[8, 12], [12, 8], [10, 12], [8, 10]] as const) {
    assert.is(code({}, "one", { courses: 3, users: before }, { courses: 3, users: after }), null, `${before} ${after}`);
  }
  assert.is(code({}, "one", { courses: 3, users: 11 }, { courses: 3, users: 12 }), "OtherCounts");
  assert.is(code({}, "one", { courses: 1, users: 10 }, { courses: 2, users: 10 }), "OtherCounts");
});

test("reports the restored and the recorded counts, and compares nothing without counts", () => {
  const before = { courses: 4, users: 10 }, after = { courses: 5, users: 10 };
  const lack = findRestoredDataProblem(SITE, { siteIdentifier: "one", counts: { before, after } });
  assert.is(lack!.sentence, "it has 3 courses, but 4 to 5 were counted during the backup");
  assert.is(findRestoredDataProblem(SITE, { siteIdentifier: "one", counts: null }), null);
  assert.is(
    findRestoredDataProblem({ ...SITE, counts: null }, { siteIdentifier: "one", counts: { before, after } }),
    null,
  );
});

test.run();
