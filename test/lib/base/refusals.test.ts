import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Refusal, type RefusalCode, REFUSALS } from "#lib/base/refusals.ts";
import { readSources } from "#test/support/sources.ts";

const test = suite("REFUSALS");
const CODES = Object.keys(REFUSALS) as RefusalCode[];

test("lists no unused code", async () => {
  const sources = (await readSources("lib")).filter(({ path }) => path !== "lib/base/refusals.ts");
  const isUsed = (code: string) => sources.some(({ text }) => text.includes(`"${code}"`));
  assert.equal(CODES.filter((code) => !isUsed(code)), []);
});

test("keeps the codes of released operations", () => {
  assert.equal(
    CODES.toSorted().join(" "),
    [
      "AnotherPostgres AnotherSite AnotherVersion BackupNotReady BlueprintLacks ClaimTaken FilesMissing Incomplete NoBackup",
      "NoSnapshotClass NoWayBack NotInstalled OtherCode OtherCounts VersionUnknown another_cluster",
    ].join(" "),
  );
});

test("no module of recovery invents an answer of the cluster with one of these codes", async () => {
  const invents = new RegExp(`(?:new ClusterError|permanentError)\\(\\s*"(?:${CODES.join("|")})"`);
  const sources = await readSources("lib/recovery", "lib/domains/backups");
  assert.equal(sources.filter(({ text }) => invents.test(text)).map(({ path }) => path), []);
});

test("has sentences without a full stop", () => {
  assert.equal(CODES.filter((code) => REFUSALS[code].length < 8 || REFUSALS[code].endsWith(".")), []);
});

test("a refusal has its code, sentence and hint", () => {
  const { code, kind, message, hint, blame, name } = new Refusal("NoBackup", "No\u202e backup", "Take one.");
  assert.equal([code, kind, blame, name, hint], ["NoBackup", "conflict", "operator", "Refusal", "Take one."]);
  assert.not.match(message, "\u202e");
});

test.run();
