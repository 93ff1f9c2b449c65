import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { canRunPods } from "#lib/domains/tiers/nodes.ts";
import type { TierInputs } from "#lib/moodle/tier-inputs.ts";

const test = suite("canRunPods");
const node = (taints: object[] = [], more: object = {}) =>
  ({ metadata: { name: "n", labels: { pool: "own" } }, spec: { taints, ...more } }) as unknown as KubeObject;
const taint = { key: "pool", value: "own", effect: "NoSchedule" };

test("follows the rules of the scheduler for labels and taints", () => {
  const cases: readonly (readonly [KubeObject, TierInputs | undefined, boolean])[] = [
    [node(), undefined, true],
    [node(), { nodeSelector: { pool: "own" } }, true],
    [node(), { nodeSelector: { pool: "other" } }, false],
    [node([taint]), undefined, false],
    [node([{ ...taint, effect: "PreferNoSchedule" }]), undefined, true],
    [node([taint]), { tolerations: [{ key: "pool", value: "own" }] }, true],
    [node([taint]), { tolerations: [{ key: "pool", value: "x" }] }, false],
    [node([taint]), { tolerations: [{ key: "pool", operator: "Exists", effect: "NoExecute" }] }, false],
    [node([taint]), { tolerations: [{ operator: "Exists" }] }, true],
    [node([], { unschedulable: true }), undefined, false],
  ];
  for (const [i, [object, tier, expected]] of cases.entries()) {
    assert.is(canRunPods(object, tier), expected, `case ${i}`);
  }
});

test.run();
