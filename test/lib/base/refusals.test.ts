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
      "AddonRefused AddonUnsupported AdministratorAccount AnotherPostgres AnotherSite AnotherVersion BackupNotReady BlueprintLacks ClaimTaken",
      "CourseUnpublished DiskCannotGrow DomainTaken",
      "FilesMissing Incomplete Maintenance NamespaceLost NoBackup NoSnapshotClass NoUser NoWayBack NotInstalled NotNewer",
      "NotOffered NothingToRestore OtherCode OtherCounts PasswordsLost PostgresTooOld RolloutMissing RolloutRunning",
      "RowExists RowMissing SlugTaken SpokeState Suspended TooOld TooSmall VersionUnknown VolumeLost another_cluster",
    ].join(" "),
  );
});

test("no step invents an answer of the cluster with one of these codes", async () => {
  const code = `\\(\\s*"(?:${CODES.join("|")})"`;
  const invents = new RegExp(`permanentError${code}|new ClusterError${code}[^;]*transient: false`);
  const sources = await readSources("lib/recovery", "lib/domains/backups", "lib/steps", "lib/workers");
  const found = sources.filter(({ text }) => invents.test(text)).map(({ path }) => path);
  assert.equal(found.filter((path) => !path.startsWith("lib/workers/templates/")), []);
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
