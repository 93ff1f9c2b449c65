import { suite } from "uvu";
import * as assert from "uvu/assert";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene }>("removeSpokeHandler");
test.before.each(async (context) => void (context.scene = await openWorkScene()));
test.after.each(({ scene }) => scene.close());

async function remove(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
}

function remains(scene: WorkScene, id: string): string[] {
  return scene.simulator.objects().filter(({ metadata }) => metadata.labels?.["wheelwright.dev/spoke"] === id)
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

test("removes a spoke except for a last snapshot, and reports it once", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  await scene.replica();
  await scene.becomes(id, "active");
  await remove(scene, id);
  const row = await scene.becomes(id, "removed");
  assert.ok(row.removedAt);
  assert.equal(remains(scene, id), []);
  const audits = await selectRows(scene.db, "audit_events", { kind: "spoke_destroyed" }, {
    columns: ["metadata", "actorEmail"],
  });
  assert.is(audits.length, 1);
  assert.equal([audits[0].actorEmail, audits[0].metadata.slug], ["ann@example.org", "algebra"]);
  const events = await selectRows(scene.db, "stream_events", { type: "SpokeUpdateRemoved" }, {
    columns: ["type", "data"],
  });
  assert.equal(events.map(({ data }) => [data.spokeId, data.state]), [[id, "removed"]]);
  const again = await scene.spoke(hub, "algebra");
  assert.is((await scene.becomes(again, "active", "failed")).state, "active");
});

test("retains the contents of the last snapshot", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  await scene.becomes(id, "active");
  await remove(scene, id);
  await scene.becomes(id, "removed");
  const [audit] = await selectRows(scene.db, "audit_events", { kind: "spoke_destroyed" }, { columns: ["metadata"] });
  const retained = scene.simulator.objects("VolumeSnapshotContent").map(({ metadata }) => metadata.name);
  const snapshots: { claim: string; content: string }[] = audit.metadata.snapshots;
  assert.equal(snapshots.map(({ claim }) => claim).sort(), ["data-db-0", "files"]);
  assert.equal(snapshots.map(({ content }) => content).sort(), retained.sort());
  assert.equal(audit.metadata.kept.sort(), retained);
});

test("takes no snapshot without a suitable class, and adds a note", async ({ scene }) => {
  for (const name of ["standard", "standard-retain"]) {
    await fetch(`${scene.simulator.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/${name}`, {
      method: "DELETE",
    });
  }
  await fetch(`${scene.simulator.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name: "other" }, driver: "other.example.org", deletionPolicy: "Retain" }),
  });
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  await scene.becomes(id, "active");
  await remove(scene, id);
  await scene.becomes(id, "removed");
  assert.equal(scene.simulator.objects("VolumeSnapshotContent"), []);
  const [job] = await scene.operations(id);
  assert.match(String(job!.progress.notes), /no snapshot class with the deletion policy Retain for these volumes/);
});

test("stops a running installation, and removes its objects", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  scene.simulator.faults.unready("db");
  await scene.replica();
  await until(async () => (await scene.operations(id))[0]!.finishedSteps.includes("secrets"));
  await remove(scene, id);
  await scene.becomes(id, "removed");
  assert.equal((await scene.operations(id)).map(({ kind, state }) => [kind, state]), [
    ["remove", "succeeded"],
    ["provision", "cancelled"],
  ]);
  assert.equal(remains(scene, id), []);
  const kinds = await selectRows(scene.db, "audit_events", { spokeId: id }, { columns: ["kind"], orderBy: "at" });
  assert.equal(kinds.map(({ kind }) => kind), [
    "spoke_requested",
    "spoke_removal_requested",
    "operation_cancelled",
    "spoke_destroyed",
  ]);
  const types = await selectRows(scene.db, "stream_events", { spokeId: id }, { columns: ["type"], orderBy: "number" });
  const eventTypes = [...new Set(types.map(({ type }) => type))];
  assert.equal(eventTypes, ["SpokeUpdateProvisioning", "SpokeUpdateRemoving", "SpokeUpdateRemoved"]);
});

test("removes a spoke that waits for its hub", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  scene.simulator.faults.answer(403, { method: "POST", path: "/namespaces" });
  await scene.replica();
  await scene.hubBecomes(hub.id, "failed");
  await remove(scene, id);
  await scene.becomes(id, "removed");
  assert.equal((await scene.operations(id)).map(({ kind, state }) => [kind, state]), [
    ["remove", "succeeded"],
    ["provision", "cancelled"],
  ]);
});

test("deletes a namespace whose creation was not recorded", async ({ scene }) => {
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const { blueprintInputs: inputs, cluster, namespace } = await scene.row(id);
  const [manifest] = scene.app.blueprint.spokeObjects(inputs, "namespace");
  const call = { signal: new AbortController().signal };
  await (await scene.app.clusters.open(cluster)).createNamespace(manifest!, call);
  await remove(scene, id);
  await scene.replica();
  await scene.becomes(id, "removed");
  assert.is(scene.simulator.objects("Namespace").some(({ metadata }) => metadata.name === namespace), false);
});

test("reports what blocks a namespace, and continues afterwards", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  const { namespace } = await scene.becomes(id, "active");
  const fault = scene.simulator.faults.stuckNamespace(namespace);
  await remove(scene, id);
  const label = await until(async () => {
    const [job] = await scene.operations(id);
    return job!.label.startsWith("Deleting the namespace: ") && job!.label;
  }, 60_000);
  assert.match(label, namespace);
  assert.is((await scene.row(id)).state, "removing");
  scene.simulator.faults.remove(fault);
  await scene.becomes(id, "removed");
});

test("keeps retrying when the cluster refuses", async ({ scene }) => {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  await scene.becomes(id, "active");
  const fault = scene.simulator.faults.answer(403, { method: "DELETE", path: "/namespaces/" });
  await remove(scene, id);
  const waiting = await until(async () => {
    const [job] = await scene.operations(id);
    return job!.attempt > 1 && job!.failure && job;
  }, 60_000);
  assert.is(waiting.kind, "remove");
  assert.is((await scene.row(id)).state, "removing");
  scene.simulator.faults.remove(fault);
  await scene.becomes(id, "removed");
});

test.run();
