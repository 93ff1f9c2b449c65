/** Recreates removed spokes from their backups, under their old names or new ones. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { findSpokeByName } from "#lib/domains/spokes/find-by-name.ts";
import { planRecreation, type RecreateRequest, recreateSpoke } from "#lib/domains/backups/recreate.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { createId } from "#lib/base/ids.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { installSpoke, NEW } from "#test/lib/workers/upgrade/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { ANN, readMarks, runAction, writeMark } from "./scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; gone: SpokeRow; password: string }>("recreateSpoke");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
});
test.before.each(async (context) => {
  const { scene } = context, id = await installSpoke(scene, `algebra-${crypto.randomUUID().slice(0, 6)}`);
  await writeMark(scene, id, "as it was");
  const { namespace } = await scene.row(id);
  context.password = scene.simulator.site(namespace).database!.password!;
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  context.gone = await scene.becomes(id, "removed");
});
test.after(({ scene }) => scene.close());

async function recreate(scene: WorkScene, gone: SpokeRow, options: RecreateRequest = {}): Promise<SpokeRow> {
  const { spoke } = await recreateSpoke(scene.app, ANN, gone, options);
  return await scene.becomes(spoke.id, "active", "failed");
}

/** Returns the snapshot objects that were created for its volumes. */
function listSourceObjects({ simulator }: WorkScene, { namespace }: SpokeRow): string[] {
  return ["VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) => simulator.objects(kind))
    .filter(({ metadata: { name, namespace: of } }) => name.includes("origin-") && (of ?? name).startsWith(namespace))
    .map(({ metadata }) => metadata.name);
}

test("recreates a spoke under its old name from its last snapshot, as the same site", async ({ scene, gone, password }) => {
  const row = await recreate(scene, gone);
  assert.equal([row.state, row.stateReason], ["active", null]);
  assert.equal(await readMarks(scene, row.id), ["as it was", "as it was"]);
  const same = ["slug", "domain", "federationId", "displayName", "size", "lmsVersion", "siteIdentifier"] as const;
  for (const field of same) assert.is(row[field], gone[field], field);
  assert.is.not(row.namespace, gone.namespace);
  const site = scene.simulator.site(row.namespace);
  assert.is.not(site.database!.password, password, "the database has a new password");
  assert.is(site.files.wwwroot, gone.domain);
  assert.equal(listSourceObjects(scene, row), []);
  const job = await scene.ended(row.id, "provision");
  const [backup] = await selectRows(scene.db, "backups", { spokeId: gone.id, kind: "last" }, { columns: ["id"] });
  assert.match(readOperationNotes(job).join("\n"), `Created from backup ${backup.id} of `);
  assert.equal(
    scene.simulator.objects("Job").filter(({ metadata }) => metadata.namespace === row.namespace)
      .map(({ metadata }) => metadata.name.split("-")[0]).filter((name) => name === "install"),
    [],
  );
  const [audit] = await selectRows(scene.db, "audit_events", { kind: "spoke_requested", spokeId: row.id });
  assert.equal([audit.actorEmail, audit.metadata.restoredFrom], [
    "ann@control",
    { spokeId: gone.id, backupId: backup.id },
  ]);
  await lookOnce(scene.app);
  assert.is((await scene.row(row.id)).drift, null);
  assert.equal((await findSpokeByName(scene.db.rows, gone.domain))!.id, row.id, "the domain finds the new spoke");
  const next = await runAction(scene, row.id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  assert.equal([next.state, next.failure?.message], ["succeeded", undefined]);
});

test("closes the restore requests for its backup once the recreated site is ready", async ({ scene, gone }) => {
  const [backup] = await selectRows(scene.db, "backups", { spokeId: gone.id, kind: "last" }, { columns: ["id"] });
  await scene.db.sql(
    "insert into restore_requests (id, federation_id, spoke_id, backup_id, reason, requested_by)" +
      " values ($1, $2, $3, $4, 'Removed by mistake', $5)",
    [createId("rsr"), gone.federationId, gone.id, backup.id, gone.createdBy],
  );
  const request = async () =>
    (await selectRows(scene.db, "restore_requests", { spokeId: gone.id }, { columns: ["state", "decidedBy"] }))[0];
  const { spoke } = await recreateSpoke(scene.app, ANN, gone, {});
  assert.is((await request())!.state, "open", "nothing is restored yet");
  await scene.becomes(spoke.id, "active");
  assert.equal(await request(), { state: "done", decidedBy: null });
  const [event] = await selectRows(scene.db, "audit_events", { kind: "restore_request_done", spokeId: gone.id }, {
    columns: ["actorEmail", "spokeId", "metadata"],
  });
  assert.equal([event!.actorEmail, event!.metadata.backupId], ["ann@control", backup.id]);
});

test("recreates a spoke in another hub under another name", async ({ scene, gone }) => {
  const hub = await scene.hub(`physics-${gone.slug}`);
  const row = await recreate(scene, gone, { as: `${hub.slug}/optics` });
  assert.equal([row.state, row.federationId, row.slug, row.domain], [
    "active",
    hub.id,
    "optics",
    "optics.spokes.example.org",
  ]);
  const named = await recreate(scene, gone, { as: `${hub.id}/waves`, domain: "waves.school.example" });
  assert.equal([named.state, named.domain, named.siteIdentifier], [
    "active",
    "waves.school.example",
    gone.siteIdentifier,
  ]);
  assert.is(scene.simulator.site(named.namespace).files.wwwroot, "waves.school.example");
});

test("refuses if the name is taken, the hub is missing or the backup cannot be used", async ({ scene, gone }) => {
  const refusal = async (options: RecreateRequest) => {
    const { message, code } = await rejection(planRecreation(scene.app, gone, options));
    return `${code}: ${message}`;
  };
  assert.match(await refusal({ backupId: "bak_0" }), /NoBackup: The spoke algebra-\w+ has no backup bak_0/);
  assert.match(await refusal({ as: "nowhere/algebra" }), "federation_missing: The hub nowhere does not exist");
  const hub = (await findSpokeByName(scene.db.rows, gone.id))!.hubSlug;
  const other = await scene.spoke(await scene.hub(`other-${gone.slug}`), gone.slug);
  await scene.becomes(other, "active");
  assert.match(await refusal({}), `domain_taken: The domain ${gone.domain} is in use`);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, other));
  await scene.becomes(other, "removed");
  const again = await recreate(scene, gone);
  assert.match(await refusal({}), `slug_taken: This hub already has a spoke with the slug ${gone.slug}`);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, again.id));
  await scene.becomes(again.id, "removed");
  await scene.db.sql("update federations set state = 'removed', removed_at = now() where id = $1", [gone.federationId]);
  assert.match(await refusal({}), "federation_state: Cannot restore a spoke into a hub that is removed");
  assert.match(await refusal({ as: `${hub}/${gone.slug}` }), "federation_state");
  const { backup } = await planRecreation(scene.app, gone, { as: `other-${gone.slug}/elsewhere` });
  await updateRows(scene.db, "backups", { images: '{"postgres": "postgres:16"}', cluster: "lost" }, { id: backup.id });
  assert.match(await refusal({ as: `other-${gone.slug}/elsewhere` }), /another_cluster: .* is in the cluster lost/);
});

test("continues from the same backup when a failed creation is retried", async ({ scene, gone }) => {
  const fault = scene.simulator.faults.failJob("setup-", { log: ["500"], exitCode: 22 });
  const failed = await recreate(scene, gone);
  assert.is(failed.state, "failed");
  scene.simulator.faults.remove(fault);
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, failed.id, { action: "retry", parameters: {} })
  );
  const job = await scene.ended(failed.id, "provision");
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  assert.equal(await readMarks(scene, failed.id), ["as it was", "as it was"]);
  assert.equal(listSourceObjects(scene, failed), []);
});

test("creates no Ingress for the data of another site", async ({ scene, gone }) => {
  await updateRows(scene.db, "backups", { siteIdentifier: "another" }, { spokeId: gone.id });
  await updateRows(scene.db, "spokes", { siteIdentifier: "another" }, { id: gone.id });
  const row = await recreate(scene, await scene.row(gone.id));
  assert.equal([row.state, (await scene.ended(row.id, "provision")).failure?.code], ["failed", "AnotherSite"]);
  const ingresses = scene.simulator.objects("Ingress").filter(({ metadata }) => metadata.namespace === row.namespace);
  assert.equal(ingresses, []);
});

test("leaves no snapshot content behind when the new spoke is removed during its creation", async ({ scene, gone }) => {
  const fault = scene.simulator.faults.unready("origin-");
  const { spoke } = await recreateSpoke(scene.app, ANN, gone, {});
  await until(() => listSourceObjects(scene, spoke).length === 4);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, spoke.id));
  await scene.becomes(spoke.id, "removed");
  assert.equal(listSourceObjects(scene, spoke), []);
  scene.simulator.faults.remove(fault);
  assert.is((await recreate(scene, gone)).state, "active", "the stored snapshots still exist");
});

test.run();
