import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnose } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { PATIENCE } from "#lib/drivers/cluster/diagnosis/diagnosis.ts";
import { MINUTE } from "#lib/base/time.ts";

const test = suite("snapshotTrouble");
const TOLD = Date.parse("2026-11-21T12:00:00Z");

function verdict(status: unknown, minutes: number) {
  const snapshot = {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: { name: "files-1" },
    status,
  };
  return diagnose(snapshot, [], [], { now: TOLD + minutes * MINUTE, since: TOLD + 8 * MINUTE, patience: PATIENCE });
}

const error = { message: "the pool is full", time: "2026-11-21T12:00:00Z" };

test("waits for a snapshot that has no error, however long.", () => {
  assert.equal(verdict({ readyToUse: false }, 600), {
    is: "waiting",
    sentence: "The snapshot files-1 is not ready yet",
  });
  assert.is(verdict(undefined, 600).is, "waiting");
});

test("bears an error for as long as a volume may take, counted from when it was first said.", () => {
  const early = verdict({ readyToUse: false, error }, 9);
  assert.equal(early, {
    is: "waiting",
    sentence: "The snapshot files-1 is not ready: the pool is full",
    again: MINUTE,
  });
  const late = verdict({ readyToUse: false, error }, 10);
  assert.equal([late.is, late.is === "impossible" && late.code], ["impossible", "SnapshotFailed"]);
});

test("counts from the beginning of the waiting where the error has no time.", () => {
  const timeless = { readyToUse: false, error: { message: "the pool is full" } };
  assert.is(verdict(timeless, 17).is, "waiting");
  assert.is(verdict(timeless, 18).is, "impossible");
});

test("takes an error that was overcome for none.", () => {
  assert.is(verdict({ readyToUse: true, error }, 600).is, "ready");
});

test.run();
