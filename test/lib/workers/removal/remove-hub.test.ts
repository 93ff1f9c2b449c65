import { suite } from "uvu";
import * as assert from "uvu/assert";
import { enqueueHubRemoval } from "#lib/domains/federations/remove.ts";
import type { Job } from "#lib/jobs/job.ts";
import { listOperations } from "#lib/jobs/store.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; replica: Scheduler }>("removeSpokeHandler-hub");
test.before(async (context) => {
  context.scene = await openWorkScene();
  context.replica = await context.scene.replica();
});
test.after(({ scene }) => scene.close());

async function remove(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) => enqueueHubRemoval(tx, scene.actor, id));
}

function namespacesOf(scene: WorkScene, id: string): string[] {
  return scene.simulator.objects("Namespace").filter(({ metadata }) =>
    metadata.labels?.["wheelwright.dev/federation"] === id
  )
    .map(({ metadata }) => metadata.name);
}

/** Newest first. */
async function operations(scene: WorkScene, federationId: string): Promise<Job[]> {
  return (await listOperations(scene.db.rows, { federationId, limit: 100 })).items.filter(({ spokeId }) =>
    spokeId === null
  );
}

test("removes a hub completely, reports it once, and frees its slug", async ({ scene }) => {
  const { id } = await scene.hub("math");
  await scene.hubBecomes(id, "active");
  await scene.db.sql("insert into federation_members values ($1, $2)", [id, scene.actor.userId]);
  await remove(scene, id);
  const row = await scene.hubBecomes(id, "removed");
  assert.ok(row.removedAt);
  assert.equal(namespacesOf(scene, id), []);
  const kinds = await selectRows(scene.db, "audit_events", { federationId: id }, {
    columns: ["kind", "metadata"],
    orderBy: "at",
  });
  assert.equal(kinds.map(({ kind }) => kind), [
    "federation_created",
    "federation_provisioned",
    "federation_removal_requested",
    "federation_destroyed",
  ]);
  assert.is(kinds.at(-1)!.metadata.slug, "math");
  const events = await selectRows(scene.db, "stream_events", { federationId: id }, {
    columns: ["type"],
    orderBy: "number",
  });
  assert.equal([...new Set(events.map(({ type }) => type))], [
    "FederationUpdateProvisioning",
    "FederationUpdateActive",
    "FederationUpdateRemoving",
    "FederationUpdateRemoved",
  ]);
  const again = await scene.hub("math");
  await scene.hubBecomes(again.id, "active");
  assert.is.not(again.namespace, row.namespace);
});

test("cancels a running provisioning, whose result changes nothing", async ({ scene }) => {
  const { id } = await scene.hub("art");
  const { faults } = scene.simulator;
  const held = ["PATCH /namespaces/", "POST /secrets"].map((asked) => {
    const [method, path] = asked.split(" ");
    return faults.answer(503, { method: method!, path: path! }); // a role is still bound there
  });
  await until(async () => (await operations(scene, id))[0]!.finishedSteps.includes("namespace"));
  await remove(scene, id);
  const provisioning = async () => (await operations(scene, id)).find(({ kind }) => kind === "provision-hub")!.state;
  await until(async () => await provisioning() !== "running", 60_000); // or it might be through in the same moment
  held.forEach(faults.remove);
  await scene.hubBecomes(id, "removed");
  assert.equal((await operations(scene, id)).map(({ kind, state }) => `${kind} ${state}`), [
    "remove-hub succeeded",
    "provision-hub cancelled",
  ]);
  const types = await selectRows(scene.db, "stream_events", { federationId: id }, {
    columns: ["type"],
    orderBy: "number",
  });
  assert.equal([...new Set(types.map(({ type }) => type))], [
    "FederationUpdateProvisioning",
    "FederationUpdateRemoving",
    "FederationUpdateRemoved",
  ]);
  assert.equal(namespacesOf(scene, id), []);
});

test("removes a hub whose provisioning failed or never started", async ({ scene }) => {
  const { id } = await scene.hub("music");
  const fault = scene.simulator.faults.answer(403, { method: "POST", path: "/namespaces" });
  await scene.hubBecomes(id, "failed");
  await remove(scene, id);
  await scene.hubBecomes(id, "removed");
  scene.simulator.faults.remove(fault);
});

test("deletes a namespace whose creation was not recorded", async ({ scene }) => {
  const hub = await scene.hub("biology");
  await scene.hubBecomes(hub.id, "active");
  await updateRows(scene.db, "federations", { namespaceUid: null }, { id: hub.id });
  await remove(scene, hub.id);
  await scene.hubBecomes(hub.id, "removed");
  assert.equal(namespacesOf(scene, hub.id), []);
});

test("continues on another replica, and ends when nothing remains", async (context) => {
  const { scene } = context;
  const hub = await scene.hub("history");
  await scene.hubBecomes(hub.id, "active");
  const fault = scene.simulator.faults.stuckNamespace(hub.namespace);
  await remove(scene, hub.id);
  await until(
    async () => (await operations(scene, hub.id))[0]!.label.startsWith("Deleting the hub's namespace: "),
  );
  await context.replica.close();
  const [left] = await operations(scene, hub.id);
  assert.equal([left!.state, left!.finishedSteps], ["queued", []]);
  await scene.replica();
  await until(async () => (await operations(scene, hub.id))[0]!.state === "running");
  assert.is((await scene.hubBecomes(hub.id, "removing")).removedAt, null);
  scene.simulator.faults.remove(fault);
  await scene.hubBecomes(hub.id, "removed");
  assert.is((await operations(scene, hub.id))[0]!.id, left!.id);
});

test.run();
