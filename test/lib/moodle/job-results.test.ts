import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseHealthStatus, parseSeedResult, parseSiteFacts, parseSiteIdentity } from "#lib/moodle/job-results.ts";

const site = suite("readSite");

site("reads an installed site", () => {
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

site("is empty when nothing was printed", () => {
  const nothing = { siteIdentifier: null, version: null, release: null, lockedUntil: null, counts: null };
  assert.equal(parseSiteIdentity([]), { state: "empty", ...nothing });
  assert.is(parseSiteIdentity(["", "NOTICE: hello"]).state, "empty");
});

site("is partial when an install did not come to its end", () => {
  assert.is(parseSiteIdentity(["tables|415", "rolesactive|0"]).state, "partial");
  assert.is(parseSiteIdentity(["tables|1"]).state, "partial");
  assert.is(parseSiteIdentity(["siteidentifier|x"]).state, "partial");
  assert.is(parseSiteIdentity(["rolesactive|11"]).state, "partial");
});

const facts = suite("readSiteFacts");

facts("is the site that the database tells of, by the last time that it was asked", () => {
  const said = ["tables|494", "rolesactive|1", "siteidentifier|abc", "version|2024100712", "release|4.5.12"];
  const site = parseSiteFacts([...said, "title set", "seeded", ...said, "200"])!;
  assert.equal([site.state, site.siteIdentifier, site.release], ["installed", "abc", "4.5.12"]);
  assert.equal(parseSiteFacts(["tables|0", "rolesactive|"])!.siteIdentifier, null);
  assert.is.not(parseSiteFacts(["tables|0", "rolesactive|"])!.state, "installed");
});

facts("is nothing where nobody came to ask it", () => {
  assert.is(parseSiteFacts(["PHP Warning:  pg_connect(): Unable to connect", "rolesactive"]), null);
});

const health = suite("readHealth");

health("is the last status that was printed", () => {
  assert.is(parseHealthStatus(["curl: (7) Failed to connect", "200"]), 200);
  assert.is(parseHealthStatus(["503", " 200 "]), 200);
  assert.is(parseHealthStatus(["curl: (22) The requested URL returned error: 503", "503"]), 503);
});

health("is null when no answer came", () => {
  assert.is(parseHealthStatus(["000"]), null);
  assert.is(parseHealthStatus([]), null);
  assert.is(parseHealthStatus(["2000"]), null);
});

const seed = suite("readSeed");

seed("tells nothing of what the Job says of database and login page", () => {
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

seed("tells what was done, what was left out, and whether it came to its end", () => {
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
