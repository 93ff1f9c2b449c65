/** Tests that a removal succeeds whatever operation is running when it is requested. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recordChange } from "#lib/changes/record.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokeOperationKind } from "#lib/operations/table.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { RELEASE } from "#test/support/release.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene }>("a removal during another operation");
test.before(async (context) => void (context.scene = await openWorkScene()));
test.after(({ scene }) => scene.close());

const PAYLOADS: Readonly<Record<string, object>> = {
  upgrade: { lmsVersion: "5.2.2", skipBackup: true },
  resize: { size: "medium" },
  restore: { backupId: "bak_1" },
  "publish-course": { course: "BIO-D", deliver: true },
  "suspend-person": { email: "ann@school.example" },
  "reinstate-person": { email: "ann@school.example" },
};

/** Creates an active spoke with an empty namespace. */
async function remaining(scene: WorkScene, hub: Awaited<ReturnType<WorkScene["hub"]>>, slug: string): Promise<string> {
  const id = await scene.spoke(hub, slug);
  const { blueprintInputs: inputs } = await scene.row(id);
  const [manifest] = scene.app.blueprint.spokeObjects(inputs, "namespace");
  const cluster = await scene.app.clusters.open("default");
  const { uid } = await cluster.createNamespace(manifest!, { signal: new AbortController().signal });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW, namespaceUid: uid, siteIdentifier: "x" }, {
    id,
  });
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW }, { spokeId: id });
  return id;
}

test("stops the step, removes everything, and reports each event once.", async ({ scene }) => {
  const hub = await scene.hub("math");
  const others = ["remove", "remove-hub", "provision-hub", "provision", "delete-course", "restore-library"];
  const kinds = createHandlers(scene.app).map(({ kind }) => kind).filter(({ visible }) => visible).map(({ kind }) =>
    kind
  )
    .filter((kind) => !others.includes(kind)) as SpokeOperationKind[];
  assert.ok(new Set(kinds).size >= 3);
  const spokes = new Map<SpokeOperationKind, string>();
  for (const kind of new Set(kinds)) spokes.set(kind, await remaining(scene, hub, `during-${kind}`));
  await scene.db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, ready_at, volumes)
     select 'bak_1', id, federation_id, 'op_1', cluster, namespace, 'manual', 'ready', now(), $2::text::jsonb from spokes where id = $1`,
    [
      spokes.get("restore"),
      JSON.stringify(
        ["files", "data-db-0"].map((claim) => ({ claim, handle: claim, driver: "simulated.csi.example" })),
      ),
    ],
  );
  const held = scene.simulator.faults.answer(503, { path: `/namespaces/spoke-${RELEASE}-during-` });
  await scene.db.transact(async (tx) => {
    const rows = await tx.selectFrom("spokes").selectAll().execute();
    const jobs = [...spokes].map(([kind, id]) =>
      buildSpokeJob(rows.find((row) => row.id === id)!, kind, PAYLOADS[kind] ?? {})
    );
    await recordChange(tx, scene.actor, { jobs });
  });
  await scene.replica();
  for (const [kind, id] of spokes) {
    await until(async () => (await scene.operations(id))[0]!.state === "running");
    assert.is((await scene.operations(id))[0]!.kind, kind);
    await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  }
  for (const [kind, id] of spokes) {
    await until(async () => (await scene.operations(id))[1]!.state === "cancelled");
    assert.is((await scene.row(id)).state, "removing", kind);
  }
  scene.simulator.faults.remove(held);
  for (const [kind, id] of spokes) {
    const { namespace } = await scene.becomes(id, "removed");
    assert.equal((await scene.operations(id)).slice(0, 2).map(({ kind, state }) => `${kind} ${state}`), [
      "remove succeeded",
      `${kind} cancelled`,
    ]);
    const left = scene.simulator.objects().filter(({ metadata }) =>
      metadata.namespace === namespace || metadata.name === namespace
    );
    assert.equal(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`), [], kind);
    const audit = await selectRows(scene.db, "audit_events", { spokeId: id }, { columns: ["kind"], orderBy: "at" });
    const audits = audit.map(({ kind }) => kind).filter((each) => each !== "spoke_requested");
    // The cancelled operation may have started its transaction before the removal was requested.
    assert.equal(audits.slice(0, 2).sort(), ["operation_cancelled", "spoke_removal_requested"], kind);
    assert.equal(audits.slice(2), ["spoke_destroyed"], kind);
  }
});

test.run();
