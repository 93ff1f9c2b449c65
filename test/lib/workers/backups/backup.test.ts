import { suite } from "uvu";
import * as assert from "uvu/assert";
import { closeAbandonedBackups, findLastFailed } from "#lib/domains/backups/store.ts";
import { summariseBackups } from "#lib/domains/backups/summary.ts";
import { newId } from "#lib/base/ids.ts";
import { backupsIn, CSI_DRIVER } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import { ask, type BackupScene, betweenTries, nightly, openBackups, rows, spoke, told } from "./scene.ts";

const test = suite<BackupScene>("backup");
test.before(openBackups);
test.after(({ scene }) => scene.close());

test("takes both volumes by a class that retains, and keeps what a restore needs.", async (context) => {
  const { scene } = context, { id, namespace } = await spoke(context);
  await ask(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const [row, ...more] = await rows(scene, id);
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
  assert.equal(await told(scene, id), ["spoke_actioned", "tenant_backup_succeeded"]);
  assert.is((await scene.row(id)).state, "active");
});

test("has seen what the cluster can do: nobody who asks then is told that backups are not available.", async (context) => {
  const { scene } = context, { id } = await spoke(context);
  await scene.db.sql("delete from cluster_snapshots");
  await ask(scene, id);
  await scene.ended(id, "backup");
  const { available, lastError } = await summariseBackups(scene.app, { role: "operator" }, await scene.row(id));
  assert.equal([available, lastError], [true, null]);
});

test("is not ready before the cluster shows both snapshots ready, and was cut at once for both.", async (context) => {
  const { scene } = context, { id, namespace } = await spoke(context);
  const fault = scene.simulator.faults.add({ type: "unready", name: `${namespace}/db-` });
  await ask(scene, id);
  const mine = () =>
    scene.simulator.objects("VolumeSnapshot").filter(({ metadata }) => metadata.namespace === namespace);
  await until(() => mine().some((snapshot) => snapshot["status"]?.readyToUse));
  await until(async () => String((await scene.operations(id))[0]!.label).includes("db-"));
  assert.is(mine().length, 2);
  assert.is((await scene.operations(id))[0]!.state, "running");
  const [row] = await rows(scene, id);
  assert.equal([row.state, row.readyAt, row.sizeBytes], ["pending", null, null]);
  assert.equal(await told(scene, id), ["spoke_actioned"]);
  scene.simulator.faults.remove(fault);
  await scene.ended(id, "backup");
  assert.is((await rows(scene, id))[0].state, "ready");
});

const UPGRADED = "update spokes set lms_version = '5.2.2' where id = $1";

test("has two snapshots of one moment: one that an earlier try has left alone goes, with what it was cut into.", async (context) => {
  const { scene } = context, { id, namespace } = await spoke(context), { simulator } = scene;
  const mine = () => simulator.objects("VolumeSnapshot").filter(({ metadata }) => metadata.namespace === namespace);
  const fault = simulator.faults.cut({ at: "performed", method: "POST", path: `${namespace}/volumesnapshots` });
  await ask(scene, id);
  await until(() => mine().some(({ status }) => status?.boundVolumeSnapshotContentName));
  const [alone, ...others] = mine();
  assert.equal([alone!.metadata.name.split("-")[0], others], ["files", []]);
  await betweenTries(scene, id, async () => {
    await scene.db.sql(UPGRADED, [id]);
    simulator.faults.remove(fault);
  });
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const [row] = await rows(scene, id), [files, db] = row.volumes;
  assert.equal([row.state, row.lmsVersion], ["ready", "5.2.2"]);
  assert.equal([mine().length, files.snapshot], [2, alone!.metadata.name]);
  assert.is.not(files.snapshotUid, alone!.metadata.uid);
  const contents = simulator.objects("VolumeSnapshotContent").filter(({ spec }) =>
    spec.volumeSnapshotRef.namespace === namespace
  );
  assert.equal(contents.map(({ metadata }) => metadata.name).sort(), [files.content, db.content].sort());
});

test("is of what the spoke is when it is taken, and not of what it was when it was asked for.", async (context) => {
  const { scene } = context, { id } = await spoke(context), { simulator } = scene;
  const fault = simulator.faults.answer(503, { method: "GET", path: "/persistentvolumeclaims" });
  await ask(scene, id);
  await betweenTries(scene, id, async () => {
    await scene.db.sql(UPGRADED, [id]);
    simulator.faults.remove(fault);
  });
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const [{ lmsVersion, volumes }] = await rows(scene, id);
  assert.is(lmsVersion, "5.2.2");
  const [snapshot] = simulator.objects("VolumeSnapshot").filter(({ metadata }) =>
    metadata.uid === volumes[0].snapshotUid
  );
  assert.match(JSON.stringify(snapshot!.metadata.annotations), /5\.2\.2/);
});

test("that a driver keeps refusing fails with the driver's words, once told, and the state stays.", async (context) => {
  const { scene } = context, { id, namespace } = await spoke(context);
  const message = "failed to take snapshot of the volume: rpc error: code = ResourceExhausted desc = pool is full";
  const fault = scene.simulator.faults.add({ type: "no-snapshot", name: `${namespace}/files-`, message });
  await ask(scene, id);
  const job = await scene.ended(id, "backup");
  assert.equal([job.state, job.failure!.code], ["failed", "SnapshotFailed"]);
  const [row] = await rows(scene, id);
  assert.is(row.state, "failed");
  assert.match(row.error, /pool is full/);
  assert.equal(await told(scene, id), ["spoke_actioned", "tenant_backup_failed"]);
  assert.is((await scene.row(id)).state, "active");
  await ask(scene, id);
  await scene.ended(id, "backup");
  assert.equal(
    (await told(scene, id)).filter((kind) => kind === "tenant_backup_failed").length,
    2,
    "whoever asks is told",
  );
  scene.simulator.faults.remove(fault);
});

test("of the night that fails again is told no second time, until one has succeeded.", async (context) => {
  const { scene } = context, { id, namespace } = await spoke(context);
  const message = "no luck";
  const failures = async () => (await told(scene, id)).filter((kind) => kind === "tenant_backup_failed").length;
  let fault = scene.simulator.faults.add({ type: "no-snapshot", name: `${namespace}/`, message });
  for (let night = 0; night < 2; night++) {
    await nightly(scene, id);
    assert.is((await scene.ended(id, "backup")).state, "failed");
    assert.is(await failures(), 1);
  }
  scene.simulator.faults.remove(fault);
  await nightly(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  fault = scene.simulator.faults.add({ type: "no-snapshot", name: `${namespace}/`, message });
  await nightly(scene, id);
  await scene.ended(id, "backup");
  assert.is(await failures(), 2);
  assert.equal((await rows(scene, id)).map(({ state, failureReported }) => [state, failureReported]), [
    ["failed", true],
    ["failed", false],
    ["ready", false],
    ["failed", true],
  ]);
  scene.simulator.faults.remove(fault);
});

test("without a class that retains fails as an operation, and makes no snapshot.", async (context) => {
  const { scene } = context, { id, namespace } = await spoke(context);
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{surroundings,snapshotClass}', '\"standard\"') where id = $1",
    [id],
  );
  await ask(scene, id);
  const job = await scene.ended(id, "backup");
  assert.equal([job.state, job.failure!.code, job.failure!.fault], ["failed", "NoSnapshotClass", "operator"]);
  assert.match(job.failure!.message, /no snapshot class standard with the deletion policy Retain for these volumes/);
  assert.equal((await rows(scene, id)).map(({ state }) => state), ["failed"]);
  assert.equal(backupsIn(scene.simulator.objects, namespace), []);
});

test("of a spoke that has failed meanwhile is refused: that is no state to keep.", async (context) => {
  const { scene } = context, { id } = await spoke(context);
  await scene.db.sql("update spokes set state = 'failed' where id = $1", [id]);
  await nightly(scene, id);
  assert.is((await scene.ended(id, "backup")).failure!.code, "SpokeState");
});

test("is taken of a suspended spoke, too.", async (context) => {
  const { scene } = context, { id } = await spoke(context);
  await scene.db.sql("update spokes set state = 'suspended' where id = $1", [id]);
  await ask(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  assert.is((await scene.row(id)).state, "suspended");
});

test("whose operation ended without a word is closed as failed.", async (context) => {
  const { scene } = context, { id, federationId, namespace } = await spoke(context);
  const { id: job } = (await scene.operations(id))[0]!;
  await scene.db.sql("update jobs set state = 'succeeded' where id = $1", [job]);
  await scene.db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind)
     values ($1, $2, $3, $4, 'default', $5, 'upgrade')`,
    [newId("bak"), id, federationId, job, namespace],
  );
  await closeAbandonedBackups(scene.db.rows);
  assert.equal((await rows(scene, id)).map(({ state, error }) => [state, error]), [
    ["failed", "The operation ended before the backup was taken"],
  ]);
});

test("whose operation was cancelled is no failure; what was cut of it is left to retention.", async (context) => {
  const { scene } = context, { id, federationId, namespace } = await spoke(context);
  const { id: job } = (await scene.operations(id))[0]!;
  for (const [volumes, state] of [["[]", "deleted"], [JSON.stringify([{ snapshot: "s", claim: "files" }]), "failed"]]) {
    await scene.db.sql("delete from backups where spoke_id = $1", [id]);
    await scene.db.sql("update jobs set state = 'cancelled' where id = $1", [job]);
    await scene.db.sql(
      `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, volumes)
       values ($1, $2, $3, $4, 'default', $5, 'manual', $6::text::jsonb)`,
      [newId("bak"), id, federationId, job, namespace, volumes],
    );
    await closeAbandonedBackups(scene.db.rows);
    assert.equal((await rows(scene, id)).map(({ state, error }) => [state, error]), [[state, "It was cancelled"]]);
    assert.is(await findLastFailed(scene.db.rows, id), null);
  }
});

test.run();
