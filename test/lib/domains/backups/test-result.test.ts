import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Backup } from "#lib/domains/backups/store.ts";
import { preferVerified, testFailure } from "#lib/domains/backups/test-result.ts";

const test = suite("preferVerified");

const AT = new Date("2026-11-25T03:00:00Z"), FAILED = "its database belongs to another site";

function backup(id: string, more: Partial<Backup> = {}): Backup {
  return { id, state: "ready", deletingSince: null, verifiedAt: null, verificationError: null, ...more } as Backup;
}

const chosen = (...backups: Backup[]) => preferVerified(backups)?.id ?? null;
const verified = { verifiedAt: AT }, failed = { verificationError: FAILED };

test("takes the newest good backup, whether it was tested or not", () => {
  assert.is(chosen(), null);
  assert.is(chosen(backup("new"), backup("old", verified)), "new");
  assert.is(chosen(backup("cut", { state: "failed" }), backup("going", { deletingSince: AT }), backup("good")), "good");
});

test("takes an older verified one where the newest failed its restore test", () => {
  assert.is(
    chosen(backup("new", failed), backup("untested"), backup("old", verified), backup("older", verified)),
    "old",
  );
});

test("takes the newest where it failed its test and none was verified", () => {
  assert.is(chosen(backup("new", failed), backup("old")), "new");
});

test("holds a test that did not take place against no backup", () => {
  const untried = { verificationError: "Not tried: no node can take the pod" };
  assert.is(chosen(backup("new", untried), backup("old", verified)), "new");
  assert.is(testFailure({ verificationError: untried.verificationError }), null);
  assert.is(testFailure({ verificationError: FAILED }), FAILED);
});

test.run();
