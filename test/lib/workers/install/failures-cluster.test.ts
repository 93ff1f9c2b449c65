import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { requestHubAction } from "#lib/domains/federations/patch.ts";
import type { FailureReport } from "#lib/jobs/job.ts";
import { listOperations } from "#lib/jobs/store.ts";
import { showOperation } from "#lib/domains/operations/show.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene }>("a failing cluster");
test.before.each(async (context) => void (context.scene = await openWorkScene(5, { ACME_EMAIL: "ops@example.org" })));
test.after.each(({ scene }) => scene.close());

/** Provisions a hub on a cluster at this address with this time limit in milliseconds. Returns the failure report. */
async function setUpOn(scene: WorkScene, server: string, timeLimit = 1500): Promise<FailureReport> {
  const hub = await scene.hub("math");
  await updateRows(scene.db, "jobs", { timeLimitMs: timeLimit });
  const text = scene.simulator.kubeconfig().replace(/server: .*/, `server: ${server}`);
  const cluster = await openCluster({ name: "default", kubeconfig: { text }, deadline: 500, log: SILENT_LOG });
  const replica = await startReplica({
    ...scene.app,
    clusters: { ...scene.app.clusters, open: () => Promise.resolve(cluster) },
  });
  try {
    await scene.hubBecomes(hub.id, "failed");
    const [job] = (await listOperations(scene.db.rows, { federationId: hub.id, limit: 1 })).items;
    const { error } = await showOperation(scene.db.rows, scene.actor, job!);
    return error!;
  } finally {
    await replica.close();
    await cluster.close();
  }
}

test("is retried until the time limit if it refuses connections", async ({ scene }) => {
  const { code, fault, message, hint } = await setUpOn(scene, "http://127.0.0.1:9");
  assert.equal([code, fault], ["unreachable", "cluster"]);
  assert.match(
    message,
    /^Gave up after \d+ attempts since .*: The cluster cannot be reached: .*(ECONNREFUSED|refused)/i,
  );
  assert.match(hint!, /API server is running/);
});

test("blames the operator for an unknown host name", async ({ scene }) => {
  const { code, message, hint } = await setUpOn(scene, "http://cluster.invalid:6443");
  assert.is(code, "unreachable");
  assert.match(message, /The cluster cannot be reached: .*cluster\.invalid/);
  assert.match(hint!, /host name/i);
});

test("blames the operator for a missing TLS listener", async ({ scene }) => {
  const { code, fault, message, hint } = await setUpOn(scene, scene.simulator.url.replace("http:", "https:"));
  assert.equal([code, fault], ["untrusted", "operator"]);
  assert.match(message, /: The TLS connection to the cluster's API server failed: /);
  assert.match(hint!, /certificate-authority-data/);
});

test("reports a timeout", async ({ scene }) => {
  scene.simulator.faults.hang();
  const { code, fault, message, hint } = await setUpOn(scene, scene.simulator.url, 3000);
  assert.equal([code, fault], ["deadline", "cluster"]);
  assert.match(message, /The cluster's API server did not respond in time: GET /);
  assert.match(hint!, /API server/);
});

test("fails the hub without cert-manager, and its spokes wait", async ({ scene }) => {
  scene.simulator.faults.add({
    type: "answer",
    status: 404,
    path: "/apis/cert-manager.io",
    body: "404 page not found",
  });
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  await scene.replica();
  await scene.hubBecomes(hub.id, "failed");
  const [queued] = await scene.operations(id);
  const { label, waitingFor, state } = await showOperation(scene.db.rows, scene.actor, queued!);
  assert.equal([state, label, waitingFor?.kind], [
    "queued",
    "Waiting until the hub's failed setup is retried",
    "provision-hub",
  ]);
  const own = (await listOperations(scene.db.rows, { federationId: hub.id, limit: 9 })).items.find(({ spokeId }) =>
    !spokeId
  );
  assert.is(waitingFor!.id, own!.id);
  assert.equal([own!.failure!.code, own!.failure!.fault], ["NoCertManager", "operator"]);
  scene.simulator.faults.clear();
  await requestHubAction(scene.app, scene.actor, hub, { action: "retry" } as never);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
});

test("blames the operator for the page of a proxy", async ({ scene }) => {
  scene.simulator.faults.answer(200, { body: "<html>Sign in</html>", path: "/api/v1/namespaces" });
  const { code, fault, message } = await setUpOn(scene, scene.simulator.url);
  assert.equal([code, fault], ["BadAnswer", "operator"]);
  assert.match(message, /The server at the cluster's address is not a Kubernetes API server: .*Sign in/);
});

test("does not touch a foreign namespace of the same name", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const { namespace } = await scene.row(id);
  const made = await fetch(`${scene.simulator.url}/api/v1/namespaces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }),
  });
  assert.is(made.status, 201);
  await scene.replica();
  const { error } = await showOperation(scene.db.rows, scene.actor, await scene.ended(id, "provision"));
  assert.equal([error!.code, error!.fault, error!.step], ["ForeignNamespace", "operator", "namespace"]);
  assert.match(error!.message, namespace);
  assert.ok(scene.simulator.objects("Namespace").some(({ metadata }) => metadata.name === namespace));
});

test("reports a namespace that cannot be deleted, and who is to blame", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  const { namespace } = await scene.becomes(id, "active", "failed");
  const fault = scene.simulator.faults.stuckNamespace(namespace);
  await removeSpoke(scene.app, scene.actor, await scene.row(id));
  const label = await until(async () => {
    const [job] = await scene.operations(id);
    return /held by the finalizer simulator/.test(job!.label) && job!.label; // what goes at first has others
  }, 60_000);
  assert.match(
    label,
    new RegExp(`^Deleting the namespace: Namespace ${namespace}, terminating since [-\\d]+ [\\d:]+ UTC, waits for `),
  );
  assert.match(label, /configmaps.* to be deleted; held by the finalizer simulator\/stuck$/);
  scene.simulator.faults.remove(fault);
  await until(async () => (await scene.ended(id, "remove")).state === "succeeded");
});

test("orders a refused certificate again at a retry", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const { namespace } = await scene.row(id);
  const message = "Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: too many certificates";
  const fault = scene.simulator.faults.add({ type: "uncertified", name: `${namespace}/`, message, final: true });
  await scene.replica();
  assert.is((await scene.becomes(id, "active", "failed")).state, "failed");
  scene.simulator.faults.remove(fault);
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "retry", parameters: {} })
  );
  const back = await scene.becomes(id, "active", "failed");
  assert.equal([back.state, back.stateReason], ["active", null]);
});

test("shows that a pod waits for a node", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const { namespace } = await scene.row(id);
  const message = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/1 nodes";
  const fault = scene.simulator.faults.add({ type: "no-node", name: `${namespace}/db-0`, message });
  await scene.replica();
  await until(async () => {
    const [job] = await scene.operations(id);
    return job!.label.startsWith(`Starting the database: Waiting for a node that can run pod db-0: ${message}`);
  }, 60_000);
  scene.simulator.faults.remove(fault);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
});

test.run();
