import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findDataProblem } from "#lib/domains/backups/restore-test.ts";
import type { SiteIdentity } from "#lib/moodle/job-results.ts";

const test = suite("lackOfProof");

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
  findDataProblem({ ...SITE, ...site }, { siteIdentifier, counts: { before, after } })?.code ?? null;

test("finds the same site with what was counted, and no other.", () => {
  assert.is(code({}, "one"), null);
  assert.is(code({}, null), null, "where nobody has noted which site it was");
  assert.is(code({}, "another"), "AnotherSite");
  assert.is(code({ siteIdentifier: null }, "one"), "AnotherSite");
  for (const state of ["empty", "partial"] as const) assert.is(code({ state }, "one"), "NotInstalled", state);
});

test("takes all that lies between the two counts, in whichever direction they went.", () => {
  for (const [before, after] of [[8, 12], [12, 8], [10, 12], [8, 10]] as const) {
    assert.is(code({}, "one", { courses: 3, users: before }, { courses: 3, users: after }), null, `${before} ${after}`);
  }
  assert.is(code({}, "one", { courses: 3, users: 11 }, { courses: 3, users: 12 }), "OtherCounts");
  assert.is(code({}, "one", { courses: 1, users: 10 }, { courses: 2, users: 10 }), "OtherCounts");
});

test("says what it has and what was counted; without counts on either side it compares none.", () => {
  const before = { courses: 4, users: 10 }, after = { courses: 5, users: 10 };
  const lack = findDataProblem(SITE, { siteIdentifier: "one", counts: { before, after } });
  assert.is(lack!.sentence, "it has 3 courses, where 4 to 5 were counted as it was taken");
  assert.is(findDataProblem(SITE, { siteIdentifier: "one", counts: null }), null);
  assert.is(findDataProblem({ ...SITE, counts: null }, { siteIdentifier: "one", counts: { before, after } }), null);
});

test.run();
