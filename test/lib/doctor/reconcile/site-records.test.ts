import { suite } from "uvu";
import * as assert from "uvu/assert";
import { determineSpokeState } from "#lib/doctor/reconcile/site-records.ts";

const test = suite("determineSpokeState");
const READY = new Date(0), UP = { app: 1, database: 1 }, DOWN = { app: 0, database: 0 };

const CASES = [
  ["keeps the state if the cluster agrees", "active", READY, UP, "active", null],
  ["keeps a suspended spoke", "suspended", READY, DOWN, "suspended", null],
  [
    "detects a finished suspension",
    "suspending",
    READY,
    DOWN,
    "suspended",
    "must be repeated",
  ],
  ["detects a finished resumption", "resuming", READY, UP, "active", "must be repeated"],
  ["returns active for an interrupted update", "updating", READY, UP, "active", "must be repeated"],
  ["returns failed if only part of the site runs", "updating", READY, { app: 0, database: 1 }, "failed", "reapply"],
  ["returns failed for an interrupted installation", "provisioning", null, UP, "failed", "retry"],
  [
    "returns failed for an interrupted removal",
    "removing",
    READY,
    DOWN,
    "failed",
    "destroy the spoke again",
  ],
  ["keeps the state if the replicas are unknown", "suspended", READY, null, "suspended", null],
  [
    "returns failed for an interrupted update with unknown replicas",
    "updating",
    READY,
    null,
    "failed",
    "reapply",
  ],
] as const;

for (const [name, state, readyAt, replicas, expected, word] of CASES) {
  test(name, () => {
    const result = determineSpokeState({ state, stateReason: null, readyAt }, replicas);
    assert.is(result.state, expected);
    if (word === null) assert.is(result.stateReason, null);
    else assert.match(result.stateReason!, word);
  });
}

test("keeps the reason of a failed spoke", () => {
  const failed = { state: "failed", stateReason: "No room", readyAt: READY };
  assert.equal(determineSpokeState(failed, UP), { state: "failed", stateReason: "No room" });
});

test.run();
