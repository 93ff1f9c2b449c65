import { suite } from "uvu";
import * as assert from "uvu/assert";
import { judge } from "#lib/cluster/trouble/diagnose.ts";
import { SECOND } from "#lib/time.ts";
import { about, clock, event, job, pod } from "#test/support/kube/sights.ts";

const test = suite("podTrouble, of a pod's network");

test("a network that does not come is told by its cause, the same however often it is tried", () => {
  const stuck = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { waiting: { reason: "ContainerCreating" } } }],
  });
  const told = ["a", "b"].map((digit) => {
    const message = "(combined from similar events): Failed to create pod sandbox: rpc error: code = Unknown desc = " +
      `failed to setup network for sandbox "${digit.repeat(64)}": plugin type="bridge" failed: no addresses left`;
    const events = [event(about(stuck), "FailedCreatePodSandBox", message, SECOND)];
    const verdict = judge(job(), [stuck], events, clock(5 * SECOND));
    return verdict.is === "waiting" ? verdict.sentence.replace(/^Pod \S+ /, "") : verdict.is;
  });
  const cause =
    'waits for its network: failed to setup network for sandbox: plugin type="bridge" failed: no addresses left';
  assert.equal(told, [cause, cause]);
});

test.run();
