import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diffObjects } from "#lib/drivers/cluster/diff.ts";

function deployment(container: Record<string, unknown> = {}, spec: Record<string, unknown> = {}): KubeObject {
  const moodle = {
    name: "moodle",
    image: "moodle:1",
    resources: { limits: { cpu: "1", memory: "1Gi" } },
    ...container,
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "moodle", labels: { "app.kubernetes.io/managed-by": "wheelwright" } },
    spec: { replicas: 1, template: { spec: { containers: [moodle, { name: "side", image: "side:1" }] } }, ...spec },
  };
}

const test = suite("diffObjects");

test("escapes characters that change the text direction", () => {
  assert.equal(diffObjects(deployment(), deployment({ image: "moodle:\u202e2" })), [
    { path: "spec.template.spec.containers[moodle].image", from: "moodle:1", to: "moodle:\\u202e2" },
  ]);
});

test("finds no differences between an object and itself, ignoring server-set fields", () => {
  const before = deployment();
  const serverFields = { uid: "u", resourceVersion: "7", generation: 2, managedFields: [], creationTimestamp: "now" };
  const after = { ...before, metadata: { ...before.metadata, ...serverFields }, status: { replicas: 1 } };
  assert.equal(diffObjects(before, before), []);
  assert.equal(diffObjects(before, after as KubeObject), []);
});

test("names a field by its path, and list items by their name", () => {
  const after = deployment({ image: "moodle:2" }, { replicas: 0 });
  after["spec"].template.spec.containers.reverse();
  assert.equal(diffObjects(deployment(), after), [
    { path: "spec.replicas", from: 1, to: 0 },
    { path: "spec.template.spec.containers[moodle].image", from: "moodle:1", to: "moodle:2" },
  ]);
});

test("reports added and removed values completely", () => {
  const more = deployment({ env: [{ name: "A", value: "1" }] });
  const path = "spec.template.spec.containers[moodle].env";
  assert.equal(diffObjects(deployment(), more), [{ path, from: null, to: [{ name: "A", value: "1" }] }]);
  assert.equal(diffObjects(more, deployment()), [{ path, from: [{ name: "A", value: "1" }], to: null }]);
  const two = deployment({ env: [{ name: "A", value: "1" }, { name: "B", value: "2" }] });
  assert.equal(diffObjects(more, two), [{ path: `${path}[B]`, from: null, to: { name: "B", value: "2" } }]);
});

test("identifies mounts of the same volume by their path", () => {
  const mounts = (subPath: string) => [{ name: "files", mountPath: "/a" }, { name: "files", mountPath: "/b", subPath }];
  const found = diffObjects(deployment({ volumeMounts: mounts("x") }), deployment({ volumeMounts: mounts("y") }));
  assert.equal(found, [
    { path: "spec.template.spec.containers[moodle].volumeMounts[/b].subPath", from: "x", to: "y" },
  ]);
});

test("compares list items by index if nothing identifies them, and lists of strings as a whole", () => {
  const policy = (cidr: string, types: string[]): KubeObject => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "egress" },
    spec: { egress: [{ to: [{ ipBlock: { cidr } }] }], policyTypes: types },
  });
  assert.equal(diffObjects(policy("10.0.0.0/8", ["Egress"]), policy("0.0.0.0/0", ["Egress", "Ingress"])), [
    { path: "spec.egress[0].to[0].ipBlock.cidr", from: "10.0.0.0/8", to: "0.0.0.0/0" },
    { path: "spec.policyTypes", from: ["Egress"], to: ["Egress", "Ingress"] },
  ]);
});

test("treats equal quantities as equal, and compares other text exactly", () => {
  const written = deployment({ resources: { limits: { cpu: "1000m", memory: "1024Mi" } } });
  assert.equal(diffObjects(deployment(), written), []);
  const larger = deployment({ resources: { limits: { cpu: "2", memory: "1Gi" } } });
  assert.equal(diffObjects(deployment(), larger).map(({ path }) => path), [
    "spec.template.spec.containers[moodle].resources.limits.cpu",
  ]);
  const settings = (A: string): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { A },
  });
  assert.is(diffObjects(settings("1000m"), settings("1")).length, 1);
});

test("puts names with dots in brackets", () => {
  const after = deployment();
  after.metadata.labels = {};
  assert.equal(diffObjects(deployment(), after), [
    { path: "metadata.labels[app.kubernetes.io/managed-by]", from: "wheelwright", to: null },
  ]);
});

test("distinguishes an empty selector from a missing one", () => {
  const policy = (spec: object): KubeObject => ({
    apiVersion: "v1",
    kind: "NetworkPolicy",
    metadata: { name: "a" },
    spec,
  });
  assert.is(diffObjects(policy({}), policy({ podSelector: {} })).length, 1);
  assert.equal(diffObjects(policy({ podSelector: null }), policy({})), []);
});

test("shows a new object completely", () => {
  const [made, ...more] = diffObjects(null, deployment());
  assert.equal([made!.path, made!.from, more.length], ["", null, 0]);
  assert.is((made!.to as KubeObject)["spec"].replicas, 1);
});

test("shows which fields of a Secret differ, but not their values", () => {
  const secret = (data: object | undefined): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "moodle" },
    ...(data && { data }),
  });
  const old = secret({ A: "b2xk", B: "same" }), fresh = secret({ A: "bmV3", B: "same", C: "bW9yZQ==" });
  assert.equal(diffObjects(old, fresh), [
    { path: "data.A", from: "(concealed)", to: "(concealed)" },
    { path: "data.C", from: null, to: "(concealed)" },
  ]);
  for (
    const found of [
      diffObjects(null, fresh),
      diffObjects(secret(undefined), fresh),
      diffObjects(fresh, secret(undefined)),
    ]
  ) {
    assert.is(found.length, 1);
    assert.not.match(JSON.stringify(found), /b2xk|bmV3|bW9y|same/);
  }
});

test.run();
