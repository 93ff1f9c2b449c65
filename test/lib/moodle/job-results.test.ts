import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseLoginPageStatus, parseSeedResult, parseSiteFacts, parseSiteIdentity } from "#lib/moodle/job-results.ts";

const site = suite("parseSiteIdentity");

site("parses an installed site", () => {
  const log = [
    "tables|494",
    "release|4.5.12 (Build: 20261005)",
    "rolesactive|1",
    "siteidentifier|aB|3biology.example.org",
    "version|2024100712",
  ];
  assert.equal(parseSiteIdentity(log), {
    state: "installed",
    siteIdentifier: "aB|3biology.example.org",
    version: "2024100712",
    release: "4.5.12 (Build: 20261005)",
    lockedUntil: null,
    counts: null,
  });
});

site("returns the state empty for an empty log", () => {
  const nothing = { siteIdentifier: null, version: null, release: null, lockedUntil: null, counts: null };
  assert.equal(parseSiteIdentity([]), { state: "empty", ...nothing });
  assert.is(parseSiteIdentity(["", "NOTICE: hello"]).state, "empty");
});

site("returns the state partial for an interrupted installation", () => {
  assert.is(parseSiteIdentity(["tables|415", "rolesactive|0"]).state, "partial");
  assert.is(parseSiteIdentity(["tables|1"]).state, "partial");
  assert.is(parseSiteIdentity(["siteidentifier|x"]).state, "partial");
  assert.is(parseSiteIdentity(["rolesactive|11"]).state, "partial");
});

const facts = suite("parseSiteFacts");

facts("parses the last facts in the log", () => {
  const facts = ["tables|494", "rolesactive|1", "siteidentifier|abc", "version|2024100712", "release|4.5.12"];
  const site = parseSiteFacts([...facts, "title set", "seeded", ...facts, "200"])!;
  assert.equal([site.state, site.siteIdentifier, site.release], ["installed", "abc", "4.5.12"]);
  assert.equal(parseSiteFacts(["tables|0", "rolesactive|"])!.siteIdentifier, null);
  assert.is.not(parseSiteFacts(["tables|0", "rolesactive|"])!.state, "installed");
});

facts("returns null if the log contains no facts", () => {
  assert.is(parseSiteFacts(["PHP Warning:  pg_connect(): Unable to connect", "rolesactive"]), null);
});

const health = suite("parseHealthStatus");

health("returns the last status in the log", () => {
  assert.is(parseLoginPageStatus(["curl: (7) Failed to connect", "200"]), 200);
  assert.is(parseLoginPageStatus(["503", " 200 "]), 200);
  assert.is(parseLoginPageStatus(["curl: (22) The requested URL returned error: 503", "503"]), 503);
});

health("returns null without an answer", () => {
  assert.is(parseLoginPageStatus(["000"]), null);
  assert.is(parseLoginPageStatus([]), null);
  assert.is(parseLoginPageStatus(["2000"]), null);
});

const seed = suite("parseSeedResult");

seed("ignores the lines about the database and the login page", () => {
  const log = [
    "tables|494",
    "rolesactive|1",
    "title set",
    "left out: course X|Y",
    "seeded",
    "release|4.5.12 (Build: 1)",
    "200",
  ];
  assert.equal(parseSeedResult(log), { isFinished: true, done: ["title set"], skipped: ["course X|Y"] });
});

seed("lists applied and skipped parts, and whether the seed finished", () => {
  assert.equal(parseSeedResult(["title set", "left out: course X", "", "seeded"]), {
    isFinished: true,
    done: ["title set"],
    skipped: ["course X"],
  });
  assert.is(parseSeedResult(["title set", "not seeded"]).isFinished, false);
});

site.run();
facts.run();
health.run();
seed.run();
