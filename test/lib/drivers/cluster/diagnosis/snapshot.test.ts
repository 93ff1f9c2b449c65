import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { DIAGNOSIS_TIME_LIMITS } from "#lib/drivers/cluster/diagnosis/diagnosis.ts";
import { MINUTE } from "#lib/base/time.ts";

const test = suite("diagnoseObject, VolumeSnapshot");
const TOLD = Date.parse("2026-11-21T12:00:00Z");

function verdict(status: unknown, minutes: number) {
  const snapshot = {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: { name: "files-1" },
    status,
  };
  return diagnoseObject(snapshot, [], [], {
    now: TOLD + minutes * MINUTE,
    since: TOLD + 8 * MINUTE,
    patience: DIAGNOSIS_TIME_LIMITS,
  });
}

const error = { message: "the pool is full", time: "2026-11-21T12:00:00Z" };

test("waits for a snapshot without an error", () => {
  assert.equal(verdict({ readyToUse: false }, 600), {
    is: "waiting",
    sentence: "The snapshot files-1 is not ready yet",
  });
  assert.is(verdict(undefined, 600).is, "waiting");
});

test("tolerates an error for the time limit of volumes, counted from its first occurrence", () => {
  const early = verdict({ readyToUse: false, error }, 9);
  assert.equal(early, {
    is: "waiting",
    sentence: "The snapshot files-1 is not ready: the pool is full",
    again: MINUTE,
  });
  const late = verdict({ readyToUse: false, error }, 10);
  assert.equal([late.is, late.is === "impossible" && late.code], ["impossible", "SnapshotFailed"]);
});

test("counts from the start of the wait if the error has no time", () => {
  const timeless = { readyToUse: false, error: { message: "the pool is full" } };
  assert.is(verdict(timeless, 17).is, "waiting");
  assert.is(verdict(timeless, 18).is, "impossible");
});

test("ignores an error of a snapshot that is ready", () => {
  assert.is(verdict({ readyToUse: true, error }, 600).is, "ready");
});

test.run();
