import { suite } from "uvu";
import * as assert from "uvu/assert";
import { closeAbandonedBackups, findLastFailedBackup } from "#lib/domains/backups/store.ts";
import { summariseBackups } from "#lib/domains/backups/summary.ts";
import { createId } from "#lib/base/ids.ts";
import { backupsIn, CSI_DRIVER } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import {
  type BackupScene,
  betweenAttempts,
  createSpoke,
  listAuditKinds,
  listBackupRows,
  openBackupScene,
  queueNightlyBackup,
  requestBackup,
} from "./scene.ts";
import { deleteRows, insertRow, updateRows } from "#test/support/rows.ts";

const test = suite<BackupScene>("backup");
test.before(openBackupScene);
test.after(({ scene }) => scene.close());

test("snapshots both volumes with a retaining class, and stores the data that a restore needs", async (context) => {
  const { scene } = context, { id, namespace } = await createSpoke(context);
  await requestBackup(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const [row, ...more] = await listBackupRows(scene, id);
  assert.equal(more, []);
  assert.equal([row.kind, row.state, row.namespace, row.cluster], ["manual", "ready", namespace, "default"]);
  assert.is(Number(row.sizeBytes), 10 * 1024 ** 3);
  const contents = scene.simulator.objects("VolumeSnapshotContent");
  assert.equal(row.volumes.map(({ claim }: { claim: string }) => claim), ["files", "data-db-0"]);
  for (const volume of row.volumes) {
    const content = contents.find(({ metadata }) => metadata.name === volume.content)!;
    assert.equal([volume.handle, volume.driver, volume.class, volume.restoreSize], [
      content["status"].snapshotHandle,
      CSI_DRIVER,
      "standard-retain",
      5 * 1024 ** 3,
    ]);
    assert.equal([content["spec"].volumeSnapshotRef.uid, content["spec"].deletionPolicy], [
      volume.snapshotUid,
      "Retain",
    ]);
  }
  assert.equal(await listAuditKinds(scene, id), ["spoke_actioned", "tenant_backup_succeeded"]);
  assert.is((await scene.row(id)).state, "active");
});

test("records the snapshot classes of the cluster, so the summary reports that backups are available", async (context) => {
  const { scene } = context, { id } = await createSpoke(context);
  await deleteRows(scene.db, "cluster_snapshots");
  await requestBackup(scene, id);
  await scene.ended(id, "backup");
  const { available, lastError } = await summariseBackups(scene.app, { role: "operator" }, await scene.row(id));
  assert.equal([available, lastError], [true, null]);
});

test("creates both snapshots at the same time, and is ready only when both are ready", async (context) => {
  const { scene } = context, { id, namespace } = await createSpoke(context);
  const fault = scene.simulator.faults.add({ type: "unready", name: `${namespace}/db-` });
  await requestBackup(scene, id);
  const ownSnapshots = () =>
    scene.simulator.objects("VolumeSnapshot").filter(({ metadata }) => metadata.namespace === namespace);
  await until(() => ownSnapshots().some((snapshot) => snapshot["status"]?.readyToUse));
  await until(async () => String((await scene.operations(id))[0]!.label).includes("db-"));
  assert.is(ownSnapshots().length, 2);
  assert.is((await scene.operations(id))[0]!.state, "running");
  const [row] = await listBackupRows(scene, id);
  assert.equal([row.state, row.readyAt, row.sizeBytes], ["pending", null, null]);
  assert.equal(await listAuditKinds(scene, id), ["spoke_actioned"]);
  scene.simulator.faults.remove(fault);
  await scene.ended(id, "backup");
  assert.is((await listBackupRows(scene, id))[0].state, "ready");
});

const UPGRADED = "update spokes set lms_version = '5.2.2' where id = $1";

test("deletes a single snapshot of an earlier attempt with its content, and takes both again", async (context) => {
  const { scene } = context, { id, namespace } = await createSpoke(context), { simulator } = scene;
  const ownSnapshots = () =>
    simulator.objects("VolumeSnapshot").filter(({ metadata }) => metadata.namespace === namespace);
  const fault = simulator.faults.cut({ at: "performed", method: "POST", path: `${namespace}/volumesnapshots` });
  await requestBackup(scene, id);
  await until(() => ownSnapshots().some(({ status }) => status?.boundVolumeSnapshotContentName));
  const [single, ...others] = ownSnapshots();
  assert.equal([single!.metadata.name.split("-")[0], others], ["files", []]);
  await betweenAttempts(scene, id, async () => {
    await scene.db.sql(UPGRADED, [id]);
    simulator.faults.remove(fault);
  });
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const [row] = await listBackupRows(scene, id), [files, db] = row.volumes;
  assert.equal([row.state, row.lmsVersion], ["ready", "5.2.2"]);
  assert.equal([ownSnapshots().length, files.snapshot], [2, single!.metadata.name]);
  assert.is.not(files.snapshotUid, single!.metadata.uid);
  const contents = simulator.objects("VolumeSnapshotContent").filter(({ spec }) =>
    spec.volumeSnapshotRef.namespace === namespace
  );
  assert.equal(contents.map(({ metadata }) => metadata.name).sort(), [files.content, db.content].sort());
});

test("records the version at the time of the backup, not at the time of the request", async (context) => {
  const { scene } = context, { id } = await createSpoke(context), { simulator } = scene;
  const fault = simulator.faults.answer(503, { method: "GET", path: "/persistentvolumeclaims" });
  await requestBackup(scene, id);
  await betweenAttempts(scene, id, async () => {
    await scene.db.sql(UPGRADED, [id]);
    simulator.faults.remove(fault);
  });
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const [{ lmsVersion, volumes }] = await listBackupRows(scene, id);
  assert.is(lmsVersion, "5.2.2");
  const [snapshot] = simulator.objects("VolumeSnapshot").filter(({ metadata }) =>
    metadata.uid === volumes[0].snapshotUid
  );
  assert.match(JSON.stringify(snapshot!.metadata.annotations), /5\.2\.2/);
});

test("fails with the driver's message, reports the failure once and keeps the spoke's state", async (context) => {
  const { scene } = context, { id, namespace } = await createSpoke(context);
  const message = "failed to take snapshot of the volume: rpc error: code = ResourceExhausted desc = pool is full";
  const fault = scene.simulator.faults.add({ type: "no-snapshot", name: `${namespace}/files-`, message });
  await requestBackup(scene, id);
  const job = await scene.ended(id, "backup");
  assert.equal([job.state, job.failure!.code], ["failed", "SnapshotFailed"]);
  const [row] = await listBackupRows(scene, id);
  assert.is(row.state, "failed");
  assert.match(row.error, /pool is full/);
  assert.equal(await listAuditKinds(scene, id), ["spoke_actioned", "tenant_backup_failed"]);
  assert.is((await scene.row(id)).state, "active");
  await requestBackup(scene, id);
  await scene.ended(id, "backup");
  assert.equal(
    (await listAuditKinds(scene, id)).filter((kind) => kind === "tenant_backup_failed").length,
    2,
    "each manual backup reports its failure",
  );
  scene.simulator.faults.remove(fault);
});

test("reports repeated failures of nightly backups once, until one succeeds", async (context) => {
  const { scene } = context, { id, namespace } = await createSpoke(context);
  const message = "no luck";
  const failures = async () =>
    (await listAuditKinds(scene, id)).filter((kind) => kind === "tenant_backup_failed").length;
  let fault = scene.simulator.faults.add({ type: "no-snapshot", name: `${namespace}/`, message });
  for (let night = 0; night < 2; night++) {
    await queueNightlyBackup(scene, id);
    assert.is((await scene.ended(id, "backup")).state, "failed");
    assert.is(await failures(), 1);
  }
  scene.simulator.faults.remove(fault);
  await queueNightlyBackup(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  fault = scene.simulator.faults.add({ type: "no-snapshot", name: `${namespace}/`, message });
  await queueNightlyBackup(scene, id);
  await scene.ended(id, "backup");
  assert.is(await failures(), 2);
  assert.equal((await listBackupRows(scene, id)).map(({ state, failureReported }) => [state, failureReported]), [
    ["failed", true],
    ["failed", false],
    ["ready", false],
    ["failed", true],
  ]);
  scene.simulator.faults.remove(fault);
});

test("fails without a retaining class, and creates no snapshot", async (context) => {
  const { scene } = context, { id, namespace } = await createSpoke(context);
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{surroundings,snapshotClass}', '\"standard\"') where id = $1",
    [id],
  );
  await requestBackup(scene, id);
  const job = await scene.ended(id, "backup");
  assert.equal([job.state, job.failure!.code, job.failure!.fault], ["failed", "NoSnapshotClass", "operator"]);
  assert.match(job.failure!.message, /no snapshot class standard with the deletion policy Retain for these volumes/);
  assert.equal((await listBackupRows(scene, id)).map(({ state }) => state), ["failed"]);
  assert.equal(backupsIn(scene.simulator.objects, namespace), []);
});

test("refuses to back up a failed spoke", async (context) => {
  const { scene } = context, { id } = await createSpoke(context);
  await updateRows(scene.db, "spokes", { state: "failed" }, { id });
  await queueNightlyBackup(scene, id);
  assert.is((await scene.ended(id, "backup")).failure!.code, "SpokeState");
});

test("backs up a suspended spoke", async (context) => {
  const { scene } = context, { id } = await createSpoke(context);
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id });
  await requestBackup(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  assert.is((await scene.row(id)).state, "suspended");
});

test("marks a pending backup as failed if its operation has ended", async (context) => {
  const { scene } = context, { id, federationId, namespace } = await createSpoke(context);
  const { id: job } = (await scene.operations(id))[0]!;
  await updateRows(scene.db, "jobs", { state: "succeeded" }, { id: job });
  await insertRow(scene.db, "backups", {
    id: createId("bak"),
    spokeId: id,
    federationId,
    operationId: job,
    cluster: "default",
    namespace,
    kind: "upgrade",
  });
  await closeAbandonedBackups(scene.db.rows);
  assert.equal((await listBackupRows(scene, id)).map(({ state, error }) => [state, error]), [
    ["failed", "The operation ended before the backup was taken"],
  ]);
});

test("does not count a cancelled backup as a failure, and leaves its snapshots to retention", async (context) => {
  const { scene } = context, { id, federationId, namespace } = await createSpoke(context);
  const { id: job } = (await scene.operations(id))[0]!;
  for (const [volumes, state] of [["[]", "deleted"], [JSON.stringify([{ snapshot: "s", claim: "files" }]), "failed"]]) {
    await deleteRows(scene.db, "backups", { spokeId: id });
    await updateRows(scene.db, "jobs", { state: "cancelled" }, { id: job });
    await scene.db.sql(
      `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, volumes)
       values ($1, $2, $3, $4, 'default', $5, 'manual', $6::text::jsonb)`,
      [createId("bak"), id, federationId, job, namespace, volumes],
    );
    await closeAbandonedBackups(scene.db.rows);
    assert.equal((await listBackupRows(scene, id)).map(({ state, error }) => [state, error]), [[
      state,
      "It was cancelled",
    ]]);
    assert.is(await findLastFailedBackup(scene.db.rows, id), null);
  }
});

test.run();
