/** Spokes taken back to their backups in their place, and back from there. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { requestRestoreOf } from "#lib/domains/backups/restore-requests/request.ts";
import { findListedSpoke } from "#lib/domains/spokes/store.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { notesOf } from "#lib/jobs/operation.ts";
import { silentLog } from "#lib/base/log.ts";
import { adoptionIdOf } from "#lib/moodle/names.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { VOLUME_SNAPSHOT } from "#lib/workers/backups/delete-expired.ts";
import { restoreHandler } from "#lib/workers/restore/restore.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { installSpoke, NEW, running, standing } from "#test/lib/workers/upgrade/scene.ts";
import { ask, backUp, claims, mark, marks, restoreTo, usedBy } from "./scene.ts";

const test = suite<{ scene: WorkScene; id: string }>("a restore");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
});
test.before.each(async (context) => {
  context.id = await installSpoke(context.scene, `algebra-${crypto.randomUUID().slice(0, 6)}`);
});
test.after(({ scene }) => scene.close());

/** Restores, and demands that it went well. */
async function succeed(scene: WorkScene, id: string, asked: Parameters<typeof restoreTo>[2] = {}) {
  const job = await restoreTo(scene, id, asked);
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  return job;
}

async function isAsItsRowSays(scene: WorkScene, id: string): Promise<void> {
  const row = await scene.row(id), kept = (await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim);
  assert.equal(claims(scene, row), [...usedBy(row), ...kept].sort());
  const sources = ["VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) => scene.simulator.objects(kind))
    .filter(({ metadata }) => metadata.name.includes("origin-"));
  assert.equal(sources, []);
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).drift, null);
}

test("takes the site back to its newest backup, as the very site that it was", async ({ scene, id }) => {
  await mark(scene, id, "as it was");
  const backup = await backUp(scene, id), before = await scene.row(id);
  await mark(scene, id, "broken");
  const spoke = (await findListedSpoke(scene.db.rows, id, "hidden"))!, wish = { backupId: backup, reason: "Broken" };
  await requestRestoreOf(scene.app, scene.actor, spoke, wish, null);
  const job = await succeed(scene, id);
  assert.equal(await marks(scene, id), ["as it was", "as it was"]);
  const after = await scene.row(id);
  assert.equal([after.state, after.health, after.siteIdentifier], ["active", "healthy", before.siteIdentifier]);
  assert.match(notesOf(job).join("\n"), `It goes back to backup ${backup} of `);
  assert.equal((await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim), ["data-db-0", "files"]);
  await isAsItsRowSays(scene, id);
  const audits = await scene.db.sql(
    "select kind, actor_email, metadata from audit_events where spoke_id = $1 and metadata ->> 'action' = 'restore' order by at",
    [id],
  );
  assert.equal(audits.map(({ kind, actorEmail, metadata }) => [kind, actorEmail, metadata.backupId]), [
    ["spoke_actioned", "ann@control", backup],
    ["spoke_action_succeeded", "ann@control", backup],
  ]);
  const [closed] = await scene.db.sql("select state, decided_by from restore_requests where spoke_id = $1", [id]);
  assert.equal(closed, { state: "done", decidedBy: null });
  const [told] = await scene.db.sql(
    "select actor_email from audit_events where spoke_id = $1 and kind = 'restore_request_done'",
    [id],
  );
  assert.is(told!.actorEmail, "ann@control");
});

test("leads back to what was there before, and from there again to the backup", async ({ scene, id }) => {
  await mark(scene, id, "as it was");
  await backUp(scene, id);
  await mark(scene, id, "before the restore");
  await succeed(scene, id);
  await mark(scene, id, "after the restore");
  await succeed(scene, id, { rollback: true });
  assert.equal(await marks(scene, id), ["before the restore", "before the restore"]);
  const row = await scene.row(id);
  assert.equal(usedBy(row), ["data-db-0", "files"]);
  await isAsItsRowSays(scene, id);
  const labels = scene.simulator.objects("PersistentVolumeClaim").filter(({ metadata }) =>
    metadata.namespace === row.namespace && metadata.labels?.["wheelwright.dev/kept-until"] !== undefined
  );
  assert.equal(labels.length, 2, "those of the restore alone");
  await succeed(scene, id, { rollback: true });
  assert.equal(await marks(scene, id), ["after the restore", "after the restore"]);
  await isAsItsRowSays(scene, id);
});

test("takes version and images back to the backup's, and forward again", async ({ scene, id }) => {
  await mark(scene, id, "of the old version");
  const backup = await backUp(scene, id);
  const { lmsVersion: old } = await scene.row(id);
  await ask(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: true });
  assert.is((await scene.row(id)).lmsVersion, NEW);
  await mark(scene, id, "of the new version");
  await succeed(scene, id, { backupId: backup });
  assert.equal([(await scene.row(id)).lmsVersion, ...await marks(scene, id)], [
    old,
    "of the old version",
    "of the old version",
  ]);
  assert.is(
    scene.simulator.site((await scene.row(id)).namespace).database!.config!["release"],
    `${old} (Build: 20261005)`,
  );
  await succeed(scene, id, { rollback: true });
  assert.equal([(await scene.row(id)).lmsVersion, (await marks(scene, id))[0]], [NEW, "of the new version"]);
  assert.equal(await standing(scene, id), running(NEW));
  await isAsItsRowSays(scene, id);
});

test("has a suspended spoke active, and one in maintenance in maintenance again", async ({ scene, id }) => {
  await mark(scene, id, "as it was");
  await backUp(scene, id);
  await ask(scene, id, "suspend");
  await succeed(scene, id);
  assert.is((await scene.row(id)).state, "active");
  await ask(scene, id, "maintenance-on");
  await succeed(scene, id, { rollback: true });
  const row = await scene.row(id), { files } = scene.simulator.site(row.namespace);
  assert.equal([row.state, row.maintenance, files.maintenance], ["active", true, true]);
  assert.is((await standing(scene, id)).cronPaused, true);
  await isAsItsRowSays(scene, id);
});

test("tells the site its words anew where they were changed since the backup, and leaves them where they were not", async ({ scene, id }) => {
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

test("finds room beside what earlier ones have replaced", async ({ scene, id }) => {
  await mark(scene, id, "as it was");
  await backUp(scene, id);
  for (let time = 0; time < 3; time++) {
    await succeed(scene, id);
    await isAsItsRowSays(scene, id);
  }
  assert.is(claims(scene, await scene.row(id)).length, 8);
});

test("brings a site back whose volume somebody has deleted", async ({ scene, id }) => {
  await mark(scene, id, "as it was");
  await backUp(scene, id);
  await ask(scene, id, "suspend");
  const { namespace } = await scene.row(id);
  const claim = `${scene.simulator.url}/api/v1/namespaces/${namespace}/persistentvolumeclaims/files`;
  assert.ok((await fetch(claim, { method: "DELETE" })).ok);
  await succeed(scene, id);
  assert.equal(await marks(scene, id), ["as it was", "as it was"]);
  assert.equal((await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim), ["data-db-0"]);
  await isAsItsRowSays(scene, id);
});

test("is done though the storage does not let go of what the volumes were made from", async ({ scene, id }) => {
  await backUp(scene, id);
  const { simulator, app } = scene, job = await succeed(scene, id), { namespace } = await scene.row(id);
  const spec = { volumeSnapshotClassName: "standard-retain", source: { persistentVolumeClaimName: "files" } };
  const metadata = { name: `origin-files-${adoptionIdOf(job.id)}`, finalizers: ["example.org/held"] };
  const snapshots = `/apis/snapshot.storage.k8s.io/v1/namespaces/${namespace}/volumesnapshots`;
  await postObject(simulator.url, snapshots, { ...VOLUME_SNAPSHOT, metadata, spec });
  const notes: string[] = [];
  const run = {
    job,
    signal: AbortSignal.timeout(20_000),
    log: silentLog,
    throwIfStopped: () => {},
    timeLeft: () => 500,
    showProgress: () => {},
    saveProgress: (values: { notes?: string[] }) => Promise.resolve(notes.push(...values.notes ?? [])),
  } as unknown as Run;
  await restoreHandler(app).steps["retain"]!(run);
  assert.match(notes.at(-1)!, `goes with the spoke: Removing VolumeSnapshot ${metadata.name} took over`);
});

test.run();
