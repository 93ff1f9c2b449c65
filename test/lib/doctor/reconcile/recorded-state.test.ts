import { suite } from "uvu";
import * as assert from "uvu/assert";
import { stateOfRecordedSpoke } from "#lib/doctor/reconcile/recorded-state.ts";

const test = suite("settledState");
const READY = new Date(0), UP = { app: 1, database: 1 }, DOWN = { app: 0, database: 0 };

const CASES = [
  ["keeps what it was where the cluster agrees", "active", READY, UP, "active", null],
  ["keeps a suspended one", "suspended", READY, DOWN, "suspended", null],
  [
    "goes by what runs where a suspension had come to its end",
    "suspending",
    READY,
    DOWN,
    "suspended",
    "must be repeated",
  ],
  ["goes by what runs where a resumption had come to its end", "resuming", READY, UP, "active", "must be repeated"],
  ["calls one active that was updated, and says so", "updating", READY, UP, "active", "must be repeated"],
  ["calls one failed of which half runs", "updating", READY, { app: 0, database: 1 }, "failed", "reapply"],
  ["has an installation tried again", "provisioning", null, UP, "failed", "retry"],
  [
    "has a removal asked for again, and never goes on with it",
    "removing",
    READY,
    DOWN,
    "failed",
    "destroy the spoke again",
  ],
  ["believes what it was where nothing could be seen", "suspended", READY, null, "suspended", null],
  [
    "calls one failed that was updated, and of which nothing could be seen",
    "updating",
    READY,
    null,
    "failed",
    "reapply",
  ],
] as const;

for (const [name, state, readyAt, replicas, expected, word] of CASES) {
  test(name, () => {
    const settled = stateOfRecordedSpoke({ state, stateReason: null, readyAt }, replicas);
    assert.is(settled.state, expected);
    if (word === null) assert.is(settled.stateReason, null);
    else assert.match(settled.stateReason!, word);
  });
}

test("keeps why one had failed", () => {
  const failed = { state: "failed", stateReason: "No room", readyAt: READY };
  assert.equal(stateOfRecordedSpoke(failed, UP), { state: "failed", stateReason: "No room" });
});

test.run();
