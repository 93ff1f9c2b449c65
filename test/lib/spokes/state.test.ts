import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/errors.ts";
import { judgeAction, SPOKE_ACTIONS, SPOKE_STATES, type SpokeActionName, type SpokeState } from "#lib/spokes/state.ts";

function facts(state: SpokeState, live: string[] = [], wasReady = state !== "failed" && state !== "provisioning") {
  return { state, live, wasReady };
}

function refusal(action: SpokeActionName, given: ReturnType<typeof facts>): string {
  try {
    judgeAction(action, given);
  } catch (error) {
    assert.instance(error, Fault);
    assert.equal([(error as Fault).kind, (error as Fault).code], ["conflict", "spoke_state"]);
    return (error as Fault).message;
  }
  assert.unreachable(`${action} was allowed in ${given.state}`);
  return "";
}

const test = suite("judgeAction");

test("lets each settled state do what leads out of it, and nothing else", () => {
  const allowed: string[] = [];
  for (const state of SPOKE_STATES.filter((name) => !name.endsWith("ing"))) {
    for (const action of SPOKE_ACTIONS) {
      try {
        const { kind, state: next } = judgeAction(action, facts(state));
        allowed.push(`${action} ${state}: ${kind} -> ${next}`);
      } catch (error) {
        assert.instance(error, Fault);
      }
    }
  }
  assert.equal(allowed, [
    "suspend active: suspend -> suspending",
    "restart active: restart -> updating",
    "retry failed: provision -> provisioning",
    "resume suspended: resume -> resuming",
  ]);
});

test("lets resume queue behind suspend, and the reverse, without touching the state yet", () => {
  assert.equal(judgeAction("resume", facts("suspending", ["suspend"])), { kind: "resume", state: "suspending" });
  assert.equal(judgeAction("suspend", facts("resuming", ["resume"])), { kind: "suspend", state: "resuming" });
});

test("judges by what is queued already, not by the present state alone", () => {
  assert.equal(judgeAction("restart", facts("suspending", ["suspend", "resume"])).state, "suspending");
  assert.equal(judgeAction("suspend", facts("suspending", ["suspend", "resume"])).kind, "suspend");
  refusal("restart", facts("resuming", ["resume", "suspend"]));
});

test("queues behind an operation that changes no state, but begins at once by name", () => {
  assert.equal(judgeAction("suspend", facts("active", ["backup"])), { kind: "suspend", state: "suspending" });
});

test("refuses what was asked already", () => {
  refusal("suspend", facts("suspending", ["suspend"]));
  refusal("restart", facts("updating", ["restart"]));
  assert.match(refusal("resume", facts("suspending", ["suspend", "resume"])), "asked to resume already");
});

test("lets nothing queue behind an install or a removal", () => {
  for (const action of SPOKE_ACTIONS) {
    refusal(action, facts("provisioning", ["provision"]));
    refusal(action, facts("removing", ["remove"]));
    refusal(action, facts("removed"));
  }
});

test("says what to wait for, or which states allow it", () => {
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

test("refuses to provision again what has been active before", () => {
  assert.match(refusal("retry", facts("failed", [], true)), "never been active");
});

test("takes no endless row of operations", () => {
  const row = Array.from({ length: 10 }, (_, i) => i % 2 === 0 ? "suspend" : "resume");
  assert.match(refusal("suspend", facts("suspending", row)), "10 operations are waiting");
});

test.run();
