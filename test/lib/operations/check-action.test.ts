import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { type ActionCheckInput, findStateTransition, requireActionAllowed } from "#lib/operations/check-action.ts";
import { SPOKE_ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { SPOKE_STATES, type SpokeState } from "#lib/model/states.ts";

/** Returns the facts of a spoke that was active before, unless its state excludes that. */
function facts(state: SpokeState, live: string[] = [], more: Partial<ActionCheckInput> = {}): ActionCheckInput {
  const wasReady = state !== "failed" && state !== "provisioning";
  return { state, live, wasReady, maintenance: false, failedUpgrade: false, halfRestored: false, ...more };
}

function refusal(action: SpokeActionName, given: ActionCheckInput): string {
  try {
    requireActionAllowed(action, given);
  } catch (error) {
    assert.instance(error, Fault);
    assert.equal([(error as Fault).kind, (error as Fault).code], ["conflict", "spoke_state"]);
    return (error as Fault).message;
  }
  assert.unreachable(`${action} was allowed in ${given.state}`);
  return "";
}

/** The allowed actions and the resulting states. */
function allowed(given: ActionCheckInput): string[] {
  return SPOKE_ACTIONS.flatMap((action) => {
    try {
      const { kind, state } = requireActionAllowed(action, given);
      return [`${action}: ${kind} -> ${state}`];
    } catch (error) {
      assert.instance(error, Fault);
      return [];
    }
  });
}

const test = suite("requireActionAllowed");

test("allows only the actions of each stable state", () => {
  assert.equal(allowed(facts("active")), [
    "suspend: suspend -> suspending",
    "restart: restart -> updating",
    "upgrade: upgrade -> updating",
    "resize: resize -> updating",
    "maintenance-on: maintenance-on -> updating",
    "maintenance-off: maintenance-off -> updating",
    "purge-caches: purge-caches -> active",
    "backup: backup -> active",
    "run-cron: run-cron -> active",
    "reset-admin-password: reset-admin-password -> active",
    "suspend-person: suspend-person -> active",
    "reinstate-person: reinstate-person -> active",
    "reapply: reapply -> updating",
    "configure: configure -> updating",
  ]);
  assert.equal(allowed(facts("suspended")), [
    "resume: resume -> resuming",
    "backup: backup -> suspended",
    "reapply: reapply -> updating",
  ]);
  assert.equal(allowed(facts("failed")), ["retry: provision -> provisioning"]);
  assert.equal(allowed(facts("removed")), []);
});

test("queues resume behind suspend and the reverse, without changing the state yet", () => {
  assert.equal(requireActionAllowed("resume", facts("suspending", ["suspend"])), {
    kind: "resume",
    state: "suspending",
    becomes: "active",
  });
  assert.is(requireActionAllowed("suspend", facts("resuming", ["resume"])).state, "resuming");
});

test("checks against the state after all queued operations", () => {
  assert.equal(requireActionAllowed("restart", facts("suspending", ["suspend", "resume"])).state, "suspending");
  assert.equal(requireActionAllowed("suspend", facts("suspending", ["suspend", "resume"])).kind, "suspend");
  refusal("restart", facts("resuming", ["resume", "suspend"]));
  const task = requireActionAllowed("purge-caches", facts("suspending", ["suspend", "resume"]));
  assert.equal([task.state, task.becomes], ["suspending", "active"]);
});

test("changes the state immediately behind an operation without a state change", () => {
  assert.is(requireActionAllowed("suspend", facts("active", ["backup"])).state, "suspending");
});

test("refuses an action that is already requested", () => {
  refusal("suspend", facts("suspending", ["suspend"]));
  refusal("restart", facts("updating", ["restart"]));
  refusal("restart", facts("updating", ["restart", "backup"]));
  assert.match(refusal("resume", facts("suspending", ["suspend", "resume"])), "this is already requested");
  assert.match(refusal("backup", facts("active", ["backup"])), "this is already requested");
});

test("queues nothing behind an install or a removal", () => {
  for (const action of SPOKE_ACTIONS) {
    refusal(action, facts("provisioning", ["provision"]));
    refusal(action, facts("removing", ["remove"]));
    refusal(action, facts("removed"));
  }
});

test("explains what to wait for, or which states allow the action", () => {
  const waiting = "Cannot suspend a spoke that is provisioning; wait until it is active";
  assert.is(refusal("suspend", facts("provisioning", ["provision"])), waiting);
  assert.is(
    refusal("resume", facts("active")),
    "Cannot resume a spoke that is active; it must be suspended or suspending",
  );
  assert.is(
    refusal("suspend", facts("failed")),
    "Cannot suspend a spoke that is failed; it must be active or resuming",
  );
  assert.is(refusal("retry", facts("active")), "Cannot retry a spoke that is active; it must be failed");
});

test("limits the number of queued operations", () => {
  const row = Array.from({ length: 10 }, (_, i) => i % 2 === 0 ? "suspend" : "resume");
  assert.match(refusal("suspend", facts("suspending", row)), "10 operations are already queued");
});

test("allows only repairs for a spoke that failed after it was active", () => {
  const failed = (failedUpgrade: boolean) => facts("failed", [], { wasReady: true, failedUpgrade });
  assert.equal(allowed(failed(true)), [
    "upgrade: upgrade -> updating",
    "reapply: reapply -> updating",
    "retry: upgrade -> updating",
  ]);
  assert.equal(allowed(failed(false)), ["upgrade: upgrade -> updating", "reapply: reapply -> updating"]);
  assert.match(refusal("retry", failed(false)), "only a failed install or upgrade can be retried");
});

test("queues nothing behind a risky operation", () => {
  for (const risk of ["upgrade", "reapply"]) {
    for (const live of [[risk], ["backup", risk], [risk, "backup"]]) {
      for (const action of SPOKE_ACTIONS) refusal(action, facts("updating", live));
    }
  }
  const waiting = "Cannot suspend a spoke that is updating; wait until its upgrade has ended";
  assert.is(refusal("suspend", facts("updating", ["upgrade"])), waiting);
  assert.match(refusal("upgrade", facts("updating", ["upgrade"])), "this is already requested");
  assert.equal(requireActionAllowed("upgrade", facts("updating", ["resize", "backup"])).kind, "upgrade");
});

test("allows restores of any spoke that was once active, and only those after an incomplete restore", () => {
  for (const state of ["active", "suspended"] as const) {
    assert.equal(requireActionAllowed("restore", facts(state)), {
      kind: "restore",
      state: "updating",
      becomes: "active",
    });
  }
  const half = facts("failed", [], { wasReady: true, halfRestored: true, failedUpgrade: true });
  assert.is(requireActionAllowed("restore", half).kind, "restore");
  const words = "its restore is incomplete; an operator must restore it again or roll it back";
  for (const action of SPOKE_ACTIONS) assert.match(refusal(action, half), words, action);
  assert.throws(() => requireActionAllowed("restore", facts("failed")), /Cannot restore a spoke that is failed/);
  assert.throws(
    () => requireActionAllowed("restore", facts("updating", ["upgrade"])),
    /wait until its upgrade has ended/,
  );
  assert.match(refusal("suspend", facts("updating", ["restore"])), "wait until its restore has ended");
});

test("refuses scheduled tasks for a site in maintenance", () => {
  const maintenance = facts("active", [], { maintenance: true });
  assert.is(
    refusal("run-cron", maintenance),
    "Cannot run the scheduled tasks of a spoke that is in maintenance mode; turn maintenance mode off first",
  );
  assert.is(allowed(maintenance).length, allowed(facts("active")).length - 1);
});

test.run();

const passages = suite("transitionOf");

passages("returns the states of a transition, or null without a state change", () => {
  assert.equal(findStateTransition("upgrade"), { through: "updating", to: "active" });
  for (const kind of ["backup", "purge-caches", "run-cron", "reset-admin-password", "mail", "constructor"]) {
    assert.is(findStateTransition(kind), null, kind);
  }
  assert.ok(SPOKE_STATES.includes(findStateTransition("suspend")!.to));
});

passages.run();
