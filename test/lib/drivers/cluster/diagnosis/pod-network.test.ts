import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { aboutObject, event, job, pod, waitClockAt } from "#test/support/kube/samples.ts";

const test = suite("diagnosePod, pod network");

test("reports the cause of a missing pod network without changing details", () => {
  const stuck = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { waiting: { reason: "ContainerCreating" } } }],
  });
  const messages = ["a", "b"].map((digit) => {
    const message = "(combined from similar events): Failed to create pod sandbox: rpc error: code = Unknown desc = " +
      `failed to setup network for sandbox "${digit.repeat(64)}": plugin type="bridge" failed: no addresses left`;
    const events = [event(aboutObject(stuck), "FailedCreatePodSandBox", message, SECOND)];
    const verdict = diagnoseObject(job(), [stuck], events, waitClockAt(5 * SECOND));
    return verdict.is === "waiting" ? verdict.sentence.replace(/^Pod \S+ /, "") : verdict.is;
  });
  const cause =
    'waits for its network: failed to setup network for sandbox: plugin type="bridge" failed: no addresses left';
  assert.equal(messages, [cause, cause]);
});

test("names the node without a pod network and says what to check", () => {
  const stuck = pod(job(), { containerStatuses: [] }, { nodeName: "node-b" });
  const events = [
    event(aboutObject(stuck), "FailedCreatePodSandBox", "Failed to create pod sandbox: no addresses left"),
  ];
  const [early, late] = [SECOND, 11 * MINUTE].map((now) => diagnoseObject(job(), [stuck], events, waitClockAt(now)));
  assert.match(early!.is === "waiting" ? early!.sentence : "", / on the node node-b waits for its network: no addr/);
  const { message = "", hint = "" } = late!.is === "impossible" ? late! : {};
  assert.match(message, / on the node node-b did not get its network/);
  assert.match(hint, /container runtime on the node node-b\.$/);
});

test.run();
