import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SiteSize } from "#lib/moodle/sizes.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { checkClock, checkKubernetesVersion, checkNodes, checkPermissions } from "#lib/doctor/check-cluster.ts";
import { KUBERNETES_PERMISSIONS, type RequiredPermission } from "#lib/doctor/permissions.ts";

const version = suite("checkKubernetesVersion");

for (
  const [text, level] of [
    ["v1.33.13", "ok"],
    ["v1.28.0", "ok"],
    ["v1.30.4-gke.1348000", "ok"],
    ["v1.31.2+k3s1", "ok"],
    ["v2.0.0", "ok"],
    ["v1.27.16", "warning"],
    ["v1.25.0", "warning"],
    ["v1.24.17", "failing"],
    ["v1.9.11", "failing"],
    ["undefined", "warning"],
  ] as const
) {
  version(`returns ${level} for ${text}`, () => assert.is(checkKubernetesVersion(text).level, level));
}

const clock = suite("checkClock");

clock("accepts a skew of 5 seconds, and warns about more", () => {
  assert.is(checkClock(5000, "its clock").level, "ok");
  assert.is(checkClock(-5000, "its clock").level, "ok");
  assert.is(checkClock(61_000, "its clock").message, "its clock is 61 s ahead of this machine");
  assert.is(checkClock(-5001, "its clock").message, "its clock is 5 s behind this machine");
  assert.is(checkClock(-5001, "its clock").level, "warning");
});

const nodes = suite("checkNodes");

const amounts = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const SMALL = {
  app: amounts("250m", "512Mi"),
  database: amounts("100m", "256Mi"),
  cron: amounts("100m", "256Mi"),
} as SiteSize;
const node = (cpu: string, memory: string, ready = "True", spec = {}, architecture = "amd64"): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n" },
  spec,
  status: { allocatable: { cpu, memory }, conditions: [{ type: "Ready", status: ready }], nodeInfo: { architecture } },
});
const checkNodesOf = (...nodeList: KubeObject[]) => {
  const { level, message } = checkNodes({ value: nodeList }, "small", SMALL);
  return `${level}: ${message}`;
};

nodes("accepts a node that is large enough", () => {
  assert.is(checkNodesOf(node("450m", "1Gi")), "ok: 1 ready (amd64); a small spoke requests 450m CPU and 1024Mi");
  assert.match(checkNodesOf(node("2", "4Gi"), node("2", "4Gi", "True", {}, "arm64")), "2 ready (amd64 and arm64)");
});

nodes("warns if no node has enough CPU and memory", () => {
  assert.match(checkNodesOf(node("449m", "1Gi")), /^warning: 1 ready \(amd64\), but none has 450m CPU and 1024Mi/);
  assert.match(checkNodesOf(node("4", "1023Mi")), /^warning/);
  assert.match(checkNodesOf(node("4", "1023Mi"), node("100m", "8Gi")), /^warning/, "each node lacks CPU or memory");
});

nodes("ignores nodes that are not ready or not schedulable", () => {
  assert.is(checkNodesOf(node("4", "8Gi", "False")), "failing: none of 1 node is ready");
  assert.is(checkNodesOf(node("4", "8Gi", "True", { unschedulable: true })), "failing: none of 1 node is ready");
  assert.is(checkNodesOf(), "failing: the cluster has no nodes");
});

nodes("warns about a node without allocatable resources", () => {
  const { status: _, ...bare } = node("4", "8Gi");
  const status = { conditions: [{ type: "Ready", status: "True" }] };
  assert.match(checkNodesOf({ ...bare, status } as KubeObject), /^warning: 1 ready \(unknown\)/);
});

const permissions = suite("checkPermissions");

const find = (verb: string, resource: string, group = ""): RequiredPermission =>
  KUBERNETES_PERMISSIONS.find((each) => each.verb === verb && each.resource === resource && each.group === group)!;

permissions("returns one finding if all permissions are granted", () => {
  const [finding, ...more] = checkPermissions({ value: { required: KUBERNETES_PERMISSIONS.slice(0, 60), denied: [] } });
  assert.equal([finding!.message, finding!.level, more.length], ["all 60 required permissions are granted", "ok", 0]);
});

permissions("lists missing permissions by verb, resource and group", () => {
  const denied = [find("create", "jobs", "batch"), find("delete", "jobs", "batch"), find("get", "pods/log")];
  assert.equal(
    checkPermissions({ value: { required: KUBERNETES_PERMISSIONS.slice(0, 60), denied } }).map(({ level, message }) =>
      `${level}: ${message}`
    ),
    [
      "failing: missing: create and delete jobs.batch; get pods/log",
    ],
  );
});

permissions("warns about optional permissions, with the consequence", () => {
  const denied = [find("watch", "namespaces"), find("list", "nodes"), find("create", "secrets")];
  assert.equal(
    checkPermissions({ value: { required: KUBERNETES_PERMISSIONS.slice(0, 60), denied } }).map(({ level, message }) =>
      `${level}: ${message}`
    ),
    [
      "failing: missing: create secrets",
      "warning: missing: watch namespaces (operations wait a few seconds longer)",
      "warning: missing: list nodes (doctor checks less)",
    ],
  );
});

permissions("warns if the permissions could not be reviewed", () => {
  assert.is(checkPermissions({ error: "no answer" })[0]!.level, "warning");
});

version.run();
clock.run();
nodes.run();
permissions.run();
