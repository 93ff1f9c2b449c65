/** Tests that unknown objects in the storage are reported with a command, and never deleted. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { createId } from "#lib/base/ids.ts";
import { VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { backupHandler } from "#lib/workers/backups/backup.ts";
import { listReconcileFindings } from "#test/lib/recovery/adoption/restored-database.ts";
import { postContent } from "#test/lib/workers/orphans/contents.ts";
import { byHand } from "#test/lib/workers/sweep/checks.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { RELEASE } from "#test/support/release.ts";
import { until } from "#test/support/until.ts";
import { deleteRows, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  spoke: SpokeRow;
}

const test = suite<Context>("reconcileDatabase of the storage");
test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene(), replica = await scene.replica();
  context.spoke = await scene.becomes(await scene.spoke(await scene.hub("north"), "ash"), "active");
  await replica.close();
});
test.after.each(({ scene }) => scene.close());

async function storage({ app }: WorkScene): Promise<string[]> {
  return (await listReconcileFindings(app)).filter((line) => line.includes(" storage: "));
}

async function ask({ db, app, actor }: WorkScene, id: string, action: "backup"): Promise<void> {
  await db.transact((tx) => checkAndEnqueueAction(app, tx, actor, id, { action, parameters: {} }));
}

async function backUp(scene: WorkScene, id: string) {
  const replica = await scene.replica();
  await ask(scene, id, "backup");
  await scene.ended(id, "backup");
  await replica.close();
  return (await scene.db.sql("select id, state, volumes, operation_id from backups order by created_at desc limit 1"))[
    0
  ]!;
}

async function remove(scene: WorkScene, id: string): Promise<void> {
  const replica = await scene.replica();
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await scene.becomes(id, "removed");
  await replica.close();
}

function contents({ simulator }: WorkScene): string[] {
  return simulator.objects("VolumeSnapshotContent").map(({ metadata }) => metadata.name).sort();
}

function backupOrphanLine(namespace: string, names: readonly string[], whose: string): string {
  return `! storage: 2 snapshots of ${namespace} are in the storage but not in the database: ${
    names.join(", ")
  }${whose}` +
    ` → May hold the only copy of a site's data. To delete it: kubectl patch volumesnapshotcontent ${
      names.join(" ")
    } --type merge -p '{"spec":{"deletionPolicy":"Delete"}}' && kubectl delete volumesnapshotcontent ${
      names.join(" ")
    }`;
}

test("reports nothing that rows refer to, before and after a removal", async ({ scene, spoke }) => {
  await backUp(scene, spoke.id);
  assert.equal(await storage(scene), []);
  await remove(scene, spoke.id);
  assert.equal([contents(scene).length, await storage(scene)], [4, []]);
});

test("reports snapshots that a removal could not finish", async ({ scene, spoke }) => {
  const { simulator } = scene, { namespace, id } = spoke;
  simulator.faults.add({ type: "no-snapshot", name: `${namespace}/db-`, message: "the pool is full" });
  await remove(scene, id);
  const names = contents(scene), [{ id: backupId }] = await selectRows(scene.db, "backups", {}, { columns: ["id"] });
  assert.is(names.length, 2);
  const [operation] = await scene.operations(id), { notes = [] } = operation!.progress;
  assert.match(notes[0]!, /^No last snapshot was taken: /);
  assert.is(notes[1], `Kept in the cluster: VolumeSnapshotContent ${notes[1]!.split("Content ")[1]}`);
  assert.equal(notes[1]!.split("Content ")[1]!.split(", ").sort(), names);
  assert.equal(await storage(scene), [
    backupOrphanLine(namespace, names, `, taken for the failed backup ${backupId} of ash`),
  ]);
  assert.equal(contents(scene), names, "nothing is deleted");
});

test("reports contents of a failed backup only once their snapshots are gone", async ({ scene, spoke }) => {
  const { simulator } = scene, { namespace, id } = spoke;
  const fault = simulator.faults.add({ type: "no-snapshot", name: `${namespace}/db-`, message: "the pool is full" });
  const { id: backupId, state, volumes } = await backUp(scene, id);
  assert.equal([state, volumes.some(({ content }: { content?: string }) => content)], ["failed", false]);
  assert.equal(await storage(scene), []);
  simulator.faults.remove(fault);
  for (const { snapshot } of volumes) {
    await byHand(
      simulator.url,
      `/apis/${VOLUME_SNAPSHOT.apiVersion}/namespaces/${namespace}/volumesnapshots/${snapshot}`,
      null,
    );
  }
  await until(() => simulator.objects("VolumeSnapshot").length === 0);
  assert.equal(await storage(scene), [
    backupOrphanLine(namespace, contents(scene), `, taken for the failed backup ${backupId} of ash`),
  ]);
});

test("reports contents of a backup without a row, unless it can be adopted", async ({ scene, spoke }) => {
  const { id, namespace } = spoke, killed = Promise.withResolvers<void>(), forever = new Promise<never>(() => {});
  const dying = wrapStepFunctions(backupHandler(scene.app), (work) => (run) =>
    work({
      ...run,
      write: async (change) => {
        if (contents(scene).length < 2) return await run.write(change);
        killed.resolve();
        return await forever;
      },
    }));
  const replica = await openScheduler(scene.app, { handlers: [dying], lanes: 2, retry: { firstMs: 50, maxMs: 200 } });
  await ask(scene, id, "backup");
  await killed.promise;
  assert.equal(await storage(scene), [], "the operation continues");
  await deleteRows(scene.db, "backups");
  await deleteRows(scene.db, "jobs");
  await replica.close();
  assert.equal(await storage(scene), [], "the backup is complete and would be adopted");
  const [snapshot] = scene.simulator.objects("VolumeSnapshot").map(({ metadata }) => metadata.name);
  await byHand(
    scene.simulator.url,
    `/apis/${VOLUME_SNAPSHOT.apiVersion}/namespaces/${namespace}/volumesnapshots/${snapshot}`,
    null,
  );
  await until(() => scene.simulator.objects("VolumeSnapshot").length === 1);
  assert.equal(await storage(scene), [backupOrphanLine(namespace, contents(scene), "")]);
});

test("reports source contents and retained volumes of a removed spoke", async ({ scene, spoke }) => {
  const { simulator } = scene, { namespace } = spoke, [operation] = await scene.operations(spoke.id);
  const name = `origin-files-${operation!.id.slice(-10)}`;
  await postContent(simulator.url, namespace, name, { snapshotHandle: "snap-1" });
  await updateRows(scene.db, "jobs", { kind: "restore" }, { id: operation!.id });
  assert.equal(await storage(scene), [], "the removal of the spoke deletes it");
  const volume =
    simulator.objects("PersistentVolume").find(({ spec }) => spec.claimRef.name === "files")!.metadata.name;
  await byHand(simulator.url, `/api/v1/persistentvolumes/${volume}`, {
    spec: { persistentVolumeReclaimPolicy: "Retain" },
  });
  await byHand(simulator.url, `/api/v1/namespaces/${namespace}`, null);
  await until(() => !simulator.objects("Namespace").some(({ metadata }) => metadata.name === namespace));
  await scene.db.sql("update spokes set state = 'removed', removed_at = now()");
  assert.equal(await storage(scene), [
    `! storage: 1 snapshot content of ${namespace} is left from creating a site and no longer needed: ` +
    `${namespace}-${name} → The storage keeps the snapshots (snap-1). To delete the objects: kubectl delete volumesnapshotcontent ` +
    `${namespace}-${name}`,
    `! storage: 1 volume of ${namespace} is retained but not used by a PVC: ${volume} → May hold the only copy of a ` +
    `site's data. To delete it: kubectl patch persistentvolume ${volume} --type merge -p ` +
    `'{"spec":{"persistentVolumeReclaimPolicy":"Delete"}}'`,
  ]);
});

test("ignores contents of other releases and other tools", async ({ scene, spoke }) => {
  const { url } = scene.simulator, end = createId("bak").slice(4);
  await postContent(url, `spoke-other-ash-${end.slice(-12)}`, `files-${end}`);
  await postContent(url, spoke.namespace, "velero-files-1");
  const own = await postContent(url, `sandbox-${RELEASE}-ash-${end.slice(-12)}`, `files-${end}`);
  assert.equal(await storage(scene), [
    `! storage: 1 object of deleted sandboxes is left in the storage: ${own} → serve deletes them ` +
    "within an hour",
  ]);
});

test.run();
