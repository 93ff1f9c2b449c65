import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Backup } from "#lib/domains/backups/store.ts";
import { getRestoreTestFailure, preferVerifiedBackup } from "#lib/domains/backups/usable.ts";

const test = suite("preferVerified");

const AT = new Date("2026-11-25T03:00:00Z"), FAILED = "its database belongs to another site";

function backup(id: string, more: Partial<Backup> = {}): Backup {
  return { id, state: "ready", deletingSince: null, verifiedAt: null, verificationError: null, ...more } as Backup;
}

const chosen = (...backups: Backup[]) => preferVerifiedBackup(backups)?.id ?? null;
const verified = { verifiedAt: AT }, failed = { verificationError: FAILED };

test("selects the newest good backup, tested or not", () => {
  assert.is(chosen(), null);
  assert.is(chosen(backup("new"), backup("old", verified)), "new");
  assert.is(chosen(backup("cut", { state: "failed" }), backup("going", { deletingSince: AT }), backup("good")), "good");
});

test("selects an older verified backup if the newest failed its restore test", () => {
  assert.is(
    chosen(backup("new", failed), backup("untested"), backup("old", verified), backup("older", verified)),
    "old",
  );
});

test("selects the newest backup if it failed its test and no backup is verified", () => {
  assert.is(chosen(backup("new", failed), backup("old")), "new");
});

test("ignores a skipped test", () => {
  const untried = { verificationError: "Not tried: no node can take the pod" };
  assert.is(chosen(backup("new", untried), backup("old", verified)), "new");
  assert.is(getRestoreTestFailure({ verificationError: untried.verificationError }), null);
  assert.is(getRestoreTestFailure({ verificationError: FAILED }), FAILED);
});

test.run();
