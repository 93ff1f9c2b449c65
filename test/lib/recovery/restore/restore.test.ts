/** Tests restores of existing spokes, and rollbacks. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { createRestoreRequest } from "#lib/domains/backups/restore-requests/request.ts";
import { findSpokeForList } from "#lib/domains/spokes/store.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import { restoreHandler } from "#lib/recovery/restore/restore.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { installSpoke, NEW, readSiteState, siteStateOf } from "#test/lib/workers/upgrade/scene.ts";
import { backUp, listPvcs, readMarks, runAction, runRestore, usedPvcs, writeMark } from "./scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("a restore");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
});
test.before.each(async (context) => {
  context.id = await installSpoke(context.scene, `algebra-${crypto.randomUUID().slice(0, 6)}`);
});
test.after(({ scene }) => scene.close());

/** Restores the spoke. Asserts success. */
async function succeed(scene: WorkScene, id: string, options: Parameters<typeof runRestore>[2] = {}) {
  const job = await runRestore(scene, id, options);
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  return job;
}

async function assertMatchesRow(scene: WorkScene, id: string): Promise<void> {
  const row = await scene.row(id), retained = (await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim);
  assert.equal(listPvcs(scene, row), [...usedPvcs(row), ...retained].sort());
  const sources = ["VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) => scene.simulator.objects(kind))
    .filter(({ metadata }) => metadata.name.includes("origin-"));
  assert.equal(sources, []);
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).drift, null);
}

test("restores the newest backup as the same site", async ({ scene, id }) => {
  await writeMark(scene, id, "as it was");
  const backup = await backUp(scene, id), before = await scene.row(id);
  await writeMark(scene, id, "broken");
  const spoke = (await findSpokeForList(scene.db.rows, id, "hidden"))!,
    request = { backupId: backup, reason: "Broken" };
  await createRestoreRequest(scene.app, scene.actor, spoke, request, null);
  const job = await succeed(scene, id);
  assert.equal(await readMarks(scene, id), ["as it was", "as it was"]);
  const after = await scene.row(id);
  assert.equal([after.state, after.health, after.siteIdentifier], ["active", "healthy", before.siteIdentifier]);
  assert.match(readOperationNotes(job).join("\n"), `Restoring backup ${backup} of `);
  assert.equal((await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim), ["data-db-0", "files"]);
  await assertMatchesRow(scene, id);
  const audits = await scene.db.sql(
    "select kind, actor_email, metadata from audit_events where spoke_id = $1 and metadata ->> 'action' = 'restore' order by at",
    [id],
  );
  assert.equal(audits.map(({ kind, actorEmail, metadata }) => [kind, actorEmail, metadata.backupId]), [
    ["spoke_actioned", "ann@control", backup],
    ["spoke_action_succeeded", "ann@control", backup],
  ]);
  const [closed] = await selectRows(scene.db, "restore_requests", { spokeId: id }, { columns: ["state", "decidedBy"] });
  assert.equal(closed, { state: "done", decidedBy: null });
  const [event] = await selectRows(scene.db, "audit_events", { spokeId: id, kind: "restore_request_done" }, {
    columns: ["actorEmail"],
  });
  assert.is(event!.actorEmail, "ann@control");
});

test("can be rolled back, and the rollback too", async ({ scene, id }) => {
  await writeMark(scene, id, "as it was");
  await backUp(scene, id);
  await writeMark(scene, id, "before the restore");
  await succeed(scene, id);
  await writeMark(scene, id, "after the restore");
  await succeed(scene, id, { rollback: true });
  assert.equal(await readMarks(scene, id), ["before the restore", "before the restore"]);
  const row = await scene.row(id);
  assert.equal(usedPvcs(row), ["data-db-0", "files"]);
  await assertMatchesRow(scene, id);
  const labels = scene.simulator.objects("PersistentVolumeClaim").filter(({ metadata }) =>
    metadata.namespace === row.namespace && metadata.labels?.["wheelwright.dev/kept-until"] !== undefined
  );
  assert.equal(labels.length, 2, "only the restored PVCs");
  await succeed(scene, id, { rollback: true });
  assert.equal(await readMarks(scene, id), ["after the restore", "after the restore"]);
  await assertMatchesRow(scene, id);
});

test("restores the version and images of the backup, and a rollback those from before", async ({ scene, id }) => {
  await writeMark(scene, id, "of the old version");
  const backup = await backUp(scene, id);
  const { lmsVersion: old } = await scene.row(id);
  await runAction(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: true });
  assert.is((await scene.row(id)).lmsVersion, NEW);
  await writeMark(scene, id, "of the new version");
  await succeed(scene, id, { backupId: backup });
  assert.equal([(await scene.row(id)).lmsVersion, ...await readMarks(scene, id)], [
    old,
    "of the old version",
    "of the old version",
  ]);
  assert.is(
    scene.simulator.site((await scene.row(id)).namespace).database!.config!["release"],
    `${old} (Build: 20261005)`,
  );
  await succeed(scene, id, { rollback: true });
  assert.equal([(await scene.row(id)).lmsVersion, (await readMarks(scene, id))[0]], [NEW, "of the new version"]);
  assert.equal(await readSiteState(scene, id), siteStateOf(NEW));
  await assertMatchesRow(scene, id);
});

test("activates a suspended spoke, and keeps maintenance mode", async ({ scene, id }) => {
  await writeMark(scene, id, "as it was");
  await backUp(scene, id);
  await runAction(scene, id, "suspend");
  await succeed(scene, id);
  assert.is((await scene.row(id)).state, "active");
  await runAction(scene, id, "maintenance-on");
  await succeed(scene, id, { rollback: true });
  const row = await scene.row(id), { files } = scene.simulator.site(row.namespace);
  assert.equal([row.state, row.maintenance, files.maintenance], ["active", true, true]);
  assert.is((await readSiteState(scene, id)).cronPaused, true);
  await assertMatchesRow(scene, id);
});

test("applies settings that changed since the backup, and keeps the others", async ({ scene, id }) => {
  const site = async () => scene.simulator.site((await scene.row(id)).namespace);
  const title = async () => (await site()).database!.config!["fullname"];
  const { database, saveDatabase } = await site();
  saveDatabase({ ...database!, config: { ...database!.config, fullname: "As its people call it" } });
  const backup = await backUp(scene, id);
  await succeed(scene, id, { backupId: backup });
  assert.is(await title(), "As its people call it");
  await patchSpoke(scene.app, scene.actor, await scene.row(id), { displayName: "Geometry" } as SpokePatch);
  await scene.ended(id, "configure");
  await succeed(scene, id, { backupId: backup });
  assert.is(await title(), "Geometry");
});

test("raises the quota for volumes that earlier restores replaced", async ({ scene, id }) => {
  await writeMark(scene, id, "as it was");
  await backUp(scene, id);
  for (let time = 0; time < 3; time++) {
    await succeed(scene, id);
    await assertMatchesRow(scene, id);
  }
  assert.is(listPvcs(scene, await scene.row(id)).length, 8);
});

test("restores a site whose PVC was deleted", async ({ scene, id }) => {
  await writeMark(scene, id, "as it was");
  await backUp(scene, id);
  await runAction(scene, id, "suspend");
  const { namespace } = await scene.row(id);
  const claim = `${scene.simulator.url}/api/v1/namespaces/${namespace}/persistentvolumeclaims/files`;
  assert.ok((await fetch(claim, { method: "DELETE" })).ok);
  await succeed(scene, id);
  assert.equal(await readMarks(scene, id), ["as it was", "as it was"]);
  assert.equal((await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim), ["data-db-0"]);
  await assertMatchesRow(scene, id);
});

test("succeeds with a note if the storage does not delete the source snapshots", async ({ scene, id }) => {
  await backUp(scene, id);
  const { simulator, app } = scene, job = await succeed(scene, id), { namespace } = await scene.row(id);
  const spec = { volumeSnapshotClassName: "standard-retain", source: { persistentVolumeClaimName: "files" } };
  const metadata = { name: `origin-files-${getAdoptionId(job.id)}`, finalizers: ["example.org/held"] };
  const snapshots = `/apis/snapshot.storage.k8s.io/v1/namespaces/${namespace}/volumesnapshots`;
  await postObject(simulator.url, snapshots, { ...VOLUME_SNAPSHOT, metadata, spec });
  const notes: string[] = [];
  const run = {
    job,
    signal: AbortSignal.timeout(20_000),
    log: SILENT_LOG,
    throwIfStopped: () => {},
    timeLeft: () => 500,
    showProgress: () => {},
    saveProgress: (values: { notes?: string[] }) => Promise.resolve(notes.push(...values.notes ?? [])),
  } as unknown as JobRun;
  await restoreHandler(app).steps["retain"]!(run);
  assert.match(
    notes.at(-1)!,
    `The VolumeSnapshots could not be deleted: Removing VolumeSnapshot ${metadata.name} took longer than`,
  );
});

test.run();
