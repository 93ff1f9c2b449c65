/** Tests that access reviews agree with the results of requests. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Kube, makeNamespace, openKube } from "../kube-client.ts";

const test = suite("permissions");
let kube: Kube;

test.before.each(async () => {
  kube = await openKube();
  await makeNamespace(kube, "a");
});
test.after.each(() => kube.close());

const MAP = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", namespace: "a" } };

async function review(attributes: Record<string, string>): Promise<boolean> {
  const kind = "SelfSubjectAccessReview", apiVersion = "authorization.k8s.io/v1";
  const path = `/apis/${apiVersion}/selfsubjectaccessreviews`;
  const { status, body } = await kube.send("POST", path, {
    apiVersion,
    kind,
    spec: { resourceAttributes: attributes },
  });
  assert.equal([status, body.kind, body.spec.resourceAttributes], [201, kind, attributes]);
  return body.status.allowed;
}

test("allow everything by default", async () => {
  assert.is(await review({ verb: "create", group: "batch", resource: "jobs" }), true);
});

test("reject forbidden requests with the real server's message", async () => {
  kube.simulator.faults.add({ type: "forbid", verb: "create", resource: "configmaps" });
  assert.is(await review({ verb: "create", resource: "configmaps" }), false);
  assert.is(await review({ verb: "get", resource: "configmaps" }), true);
  assert.is(await review({ verb: "create", group: "other.example", resource: "configmaps" }), true);
  const { status, body } = await kube.create(MAP);
  assert.equal([status, body.reason, body.message], [
    403,
    "Forbidden",
    'configmaps is forbidden: User "simulated" cannot create resource "configmaps" in API group "" in the namespace "a"',
  ]);
  assert.is((await kube.get(MAP)).status, 404, "to look is not to create");
});

test("require the verb create for an apply that creates the object", async () => {
  const id = kube.simulator.faults.add({ type: "forbid", verb: "create", resource: "configmaps" });
  const { status, body } = await kube.apply(MAP);
  assert.equal([status, body.message.includes('configmaps "m" is forbidden: User "simulated" cannot create')], [
    403,
    true,
  ]);
  kube.simulator.faults.remove(id);
  assert.is((await kube.apply(MAP)).status, 201);
  kube.simulator.faults.add({ type: "forbid", verb: "create", resource: "configmaps" });
  assert.is((await kube.apply(MAP)).status, 200, "it is there");
});

test("distinguish lists, watches, deletions and subresources", async () => {
  await kube.create(MAP);
  const maps = "/api/v1/namespaces/a/configmaps";
  kube.simulator.faults.add({ type: "forbid", verb: "list", resource: "configmaps" });
  assert.is((await kube.send("GET", maps)).status, 403);
  kube.simulator.faults.add({ type: "forbid", verb: "watch", resource: "configmaps" });
  assert.is((await kube.send("GET", `${maps}?watch=1`)).status, 403);
  assert.is((await kube.get(MAP)).status, 200);
  kube.simulator.faults.add({ type: "forbid", verb: "*", resource: "pods/log" });
  assert.is(await review({ verb: "get", resource: "pods", subresource: "log" }), false);
  const { status, body } = await kube.send("GET", "/api/v1/namespaces/a/pods/x/log");
  assert.equal([status, body.message.includes('cannot get resource "pods/log"')], [403, true]);
  assert.is((await kube.send("GET", "/api/v1/namespaces/a/pods/x")).status, 404);
  kube.simulator.faults.add({ type: "forbid", verb: "delete", resource: "configmaps" });
  assert.is((await kube.remove(MAP)).status, 403);
});

test("include the API group in the message", async () => {
  kube.simulator.faults.add({ type: "forbid", verb: "list", resource: "jobs.batch" });
  const { body } = await kube.send("GET", "/apis/batch/v1/jobs");
  assert.is(
    body.message,
    'jobs.batch is forbidden: User "simulated" cannot list resource "jobs" in API group "batch" at the cluster scope',
  );
});

test.run();
