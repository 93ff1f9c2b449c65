/** Tests the role binding in each new namespace: its subject, and that nothing starts before it is in effect. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CONFIG_MAP_REF, failureOf, namespace, UNCANCELLED_CALL, withKubeScene } from "#test/support/kube/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite("bindRoleInNamespace");
const role = "wheelwright-spoke";
const HIDDEN = { type: "forbid", verb: "get", resource: "secrets" } as const;

test(
  "binds the role to its own account in the new namespace only",
  withKubeScene(async ({ simulator }) => {
    const [binding, ...others] = simulator.objects("RoleBinding");
    assert.equal(others, []);
    assert.equal([binding!.metadata.namespace, binding!["roleRef"], binding!["subjects"]], [
      "spoke-1",
      { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "simulated" }],
    ]);
    assert.equal(simulator.objects("ClusterRoleBinding"), []);
  }, { role }),
);

test(
  "binds nothing without a role",
  withKubeScene(async ({ simulator }) => assert.equal(simulator.objects("RoleBinding"), [])),
);

test(
  "waits until the API server confirms the role",
  withKubeScene(async ({ simulator, cluster }) => {
    const fault = simulator.faults.add(HIDDEN);
    let made = false;
    const making = cluster.createNamespace(namespace("spoke-2"), UNCANCELLED_CALL).then(() => made = true);
    const reviews = () => simulator.writes().filter(({ path }) => path.includes("selfsubjectaccessreviews")).length;
    const before = reviews();
    await until(() => reviews() > before + 2);
    assert.is(made, false);
    simulator.faults.remove(fault);
    await making;
  }, { role }),
);

test(
  "binds nothing while the API server does not return the account",
  withKubeScene(async ({ simulator, cluster }) => {
    for (const status of [null, {}, { userInfo: null }, { userInfo: {} }, { userInfo: { username: "" } }]) {
      const body = JSON.stringify({ kind: "SelfSubjectReview", status });
      simulator.faults.add({ type: "answer", status: 201, body, path: "selfsubjectreviews", times: 1 });
      const failure = await failureOf(cluster.createNamespace(namespace("spoke-2"), UNCANCELLED_CALL));
      assert.equal([failure.code, failure.transient], ["BadAnswer", true], body);
    }
    assert.is(simulator.objects("RoleBinding").length, 1, "of spoke-1 alone");
  }, { role }),
);

test(
  "stops with its caller, and the next caller completes the binding",
  withKubeScene(async ({ simulator, cluster }) => {
    const fault = simulator.faults.add({
      type: "forbid",
      verb: "create",
      resource: "rolebindings.rbac.authorization.k8s.io",
    });
    assert.is((await failureOf(cluster.createNamespace(namespace("spoke-2"), UNCANCELLED_CALL))).status, 403);
    simulator.faults.remove(fault);
    const hidden = simulator.faults.add(HIDDEN);
    const stop = new AbortController();
    const making = cluster.createNamespace(namespace("spoke-2"), { signal: stop.signal });
    await until(() => simulator.objects("RoleBinding").length === 2);
    stop.abort(new Error("enough"));
    assert.is((await failureOf(making)).message, "enough");
    simulator.faults.remove(hidden);
    const { uid } = await cluster.createNamespace(namespace("spoke-2"), UNCANCELLED_CALL);
    assert.is(await cluster.space("spoke-2", uid).get(CONFIG_MAP_REF, UNCANCELLED_CALL), null);
    assert.is(simulator.objects("RoleBinding").length, 2);
  }, { role }),
);

test.run();
