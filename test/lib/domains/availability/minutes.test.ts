import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decidePageResult, type PageResult } from "#lib/domains/availability/login-page.ts";
import { computeAvailability, decideMinute, type MeasuredSpoke } from "#lib/domains/availability/minutes.ts";
import { decideHealth } from "#lib/domains/spokes/health.ts";
import { SPOKE_STATES } from "#lib/model/states.ts";

const pages = suite("decidePageResult"), minutes = suite("decideMinute"), health = suite("decideHealth");
const percent = suite("computeAvailability");

const answer = (more: object) => ({
  ...{
    outcome: "answered" as const,
    status: 200,
    location: null,
    cookies: [],
    hasMarker: false,
    certificateEndsAt: null,
  },
  ...more,
});

pages("accepts a login page, and single sign-on after Moodle started a session", () => {
  assert.is(decidePageResult(answer({ hasMarker: true })).kind, "works");
  const location = "https://idp.example/sso";
  assert.is(decidePageResult(answer({ status: 303, location, cookies: ["MoodleSession=1; path=/"] })).kind, "works");
});

pages("names what is wrong with a page", () => {
  const problemOf = (more: object) => (decidePageResult(answer(more)) as { problem: string }).problem;
  assert.is(problemOf({ status: 500 }), "The site's login page responded with 500");
  assert.is(problemOf({ status: 503 }), "The site's login page responded with 503");
  assert.is(problemOf({}), "The site's login page responded with a page that is not a login page");
  assert.is(
    problemOf({ status: 302, location: "http://169.254.169.254/" }),
    "The site's login page redirects to another address",
  );
  const silent = decidePageResult({ outcome: "silent", reason: "did not respond within 10 s" });
  assert.equal(silent, { kind: "fails", problem: "The site's login page did not respond within 10 s" });
  assert.is(decidePageResult({ outcome: "unconnected", reason: "refused the connection" }).kind, "unreachable");
  assert.is(decidePageResult({ outcome: "unchecked", reason: "" }).kind, "unknown");
});

const WORKS: PageResult = { kind: "works", certificateEndsAt: null },
  FAILS: PageResult = { kind: "fails", problem: "no" };
const UNREACHABLE: PageResult = { kind: "unreachable", problem: "no" };
const ACTIVE: MeasuredSpoke = { state: "active", maintenance: false, health: "healthy" };
const decide = (spoke: Partial<MeasuredSpoke>, result: PageResult | null, more: object = {}) =>
  decideMinute({ ...ACTIVE, ...spoke }, { result, wasReached: false, wasChanged: false, ...more });

minutes("counts a working page as up, and a failing page as down", () => {
  assert.equal([decide({}, WORKS), decide({}, FAILS)], ["up", "down"]);
  assert.equal([decide({ health: "degraded" }, WORKS), decide({ health: "degraded" }, FAILS)], ["up", "down"]);
});

minutes("counts suspended sites, operations and maintenance as planned, whatever the page says", () => {
  for (const state of SPOKE_STATES) {
    const planned = state !== "active" && state !== "failed";
    assert.is(decide({ state }, FAILS), planned ? "planned" : "down", state);
    assert.is(decide({ state }, WORKS), planned ? "planned" : "up", state);
  }
  assert.is(decide({ maintenance: true }, FAILS), "planned");
  assert.is(decide({}, FAILS, { wasChanged: true }), "planned");
  assert.is(decide({}, WORKS, { wasChanged: true }), "up");
});

minutes("never counts a minute as up or down while the cluster is away, or without a result", () => {
  for (const result of [WORKS, FAILS, UNREACHABLE, null]) assert.is(decide({ health: "unknown" }, result), "unknown");
  assert.equal([decide({}, null), decide({}, { kind: "unknown" })], ["unknown", "unknown"]);
});

minutes("uses the readiness probe if the control plane has never reached the site", () => {
  assert.is(decide({}, UNREACHABLE), "up");
  assert.is(decide({ health: "degraded" }, UNREACHABLE), "down");
  assert.is(decide({ state: "failed" }, UNREACHABLE), "unknown");
  assert.is(decide({}, UNREACHABLE, { wasReached: true }), "down");
});

health("is degraded by a page problem or by three failed checks, and healthy without either", () => {
  const of = (failedChecks: number, pageProblem: string | null, before: "healthy" | "degraded" = "healthy") =>
    decideHealth({ health: before, failedChecks, pageProblem });
  assert.equal([of(0, null), of(0, null, "degraded")], ["healthy", "healthy"]);
  assert.equal([of(0, "500"), of(3, null), of(3, "500")], ["degraded", "degraded", "degraded"]);
  assert.equal([of(2, null), of(2, null, "degraded")], ["healthy", "degraded"]);
});

percent("rounds down to three decimals, so that 100% means no minute down", () => {
  assert.is(computeAvailability({ up: 43_200, down: 0 }), 100);
  assert.is(computeAvailability({ up: 43_199, down: 1 }), 99.997);
  assert.is(computeAvailability({ up: 99_999_999, down: 1 }), 99.999);
  assert.is(computeAvailability({ up: 0, down: 5 }), 0);
  assert.is(computeAvailability({ up: 0, down: 0 }), null);
});

pages.run();
minutes.run();
health.run();
percent.run();
