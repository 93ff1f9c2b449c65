import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { deleteExpiredBackups } from "#lib/workers/backups/delete-expired.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import { backupsIn, insertBackups, postObject, waitForControllers } from "#test/support/fake-spokes.ts";
import { updateRows } from "#test/support/rows.ts";
import { rejection, until } from "#test/support/until.ts";
import {
  API,
  type BackupScene,
  createSpoke,
  listBackupRows,
  listExisting,
  NOON,
  openBackupScene,
  patchObject,
  requestBackup,
} from "./scene.ts";

const test = suite<BackupScene>("deleteExpiredBackups");
test.before(openBackupScene);
test.after(({ scene }) => scene.close());

test("deletes expired backups with their contents and stored data, and nothing else", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id, namespace } = planted;
  const days = (n: number) => new Date(NOON.getTime() - n * DAY);
  const history = await insertBackups(scene.db, scene.simulator.url, planted, [
    ...Array.from({ length: 12 }, (_, i) => ({ at: days(i + 1) })),
    { at: days(40) },
    { at: days(400) },
    { at: days(1.5), state: "failed" as const },
    { at: days(0.5), state: "failed" as const },
  ]);
  await waitForControllers(scene.simulator.objects);
  const stranger = await insertBackups(scene.db, scene.simulator.url, await createSpoke(context), [{ at: days(900) }]);
  await requestBackup(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const after = await listBackupRows(scene, id);
  const remaining = after.filter(({ state }) => state !== "deleted").map(({ id }) => id).sort();
  assert.equal(backupsIn(scene.simulator.objects, namespace), remaining);
  const deletedIds = after.filter(({ state }) => state === "deleted").map(({ id }) => id);
  assert.ok(deletedIds.includes(history[14]!), "a failed backup older than a day");
  assert.ok(!deletedIds.includes(history[15]!), "a failed backup from today");
  assert.ok(!deletedIds.includes(history[13]!), "the only one of its month");
  assert.ok(deletedIds.length >= 3);
  const deletedSnapshots = after.filter(({ state }) => state === "deleted")
    .flatMap(({ volumes }) => volumes.map(({ snapshot }: { snapshot: string }) => snapshot));
  const contents = scene.simulator.objects("VolumeSnapshotContent").map(({ spec }) => spec.volumeSnapshotRef.name);
  assert.equal(contents.filter((name) => deletedSnapshots.includes(name)), []);
  assert.ok(stranger[0]);
  const deleted = scene.simulator.writes().filter(({ method, path }) =>
    method === "DELETE" && path.includes("snapshot")
  );
  assert.ok(
    deleted.every(({ path }) => deletedIds.some((each) => path.includes(each.slice(4))) || !path.includes(namespace)),
  );
});

test("keeps as many backups as the tier says that the site has", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id } = planted;
  const ages = [1, 2, 3, 4, 5, 40],
    history = await insertBackups(
      scene.db,
      scene.simulator.url,
      planted,
      ages.map((days) => ({ at: new Date(NOON.getTime() - days * DAY) })),
    );
  await waitForControllers(scene.simulator.objects);
  const { blueprintInputs } = await scene.row(id), retention = { daily: 3, weekly: 0, monthly: 0 };
  await updateRows(scene.db, "spokes", { blueprintInputs: { ...blueprintInputs, tier: { retention } } }, { id });
  await requestBackup(scene, id);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  const states = new Map((await listBackupRows(scene, id)).map((row) => [row.id, row.state]));
  assert.equal(history.map((backup) => states.get(backup)), [
    ...["ready", "ready", "deleted", "deleted", "deleted", "deleted"],
  ]);
});

test("marks a backup as deleted only when its snapshots are gone, and shows the finalizer that blocks the deletion", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id, namespace } = planted;
  const at = new Date(NOON.getTime() - HOUR);
  const [old] = await insertBackups(scene.db, scene.simulator.url, planted, [{ at }]);
  await waitForControllers(scene.simulator.objects);
  const path = `${API}/namespaces/${namespace}/volumesnapshots/db-${old!.slice(4)}`;
  await patchObject(scene, path, [{ op: "add", path: "/metadata/finalizers/-", value: "example.org/held" }]);
  await requestBackup(scene, id);
  await until(async () => (await scene.operations(id))[0]!.label.includes("held by example.org/held"));
  const [row, fresh] = await listBackupRows(scene, id);
  assert.equal([row.id, row.state, fresh.state], [old, "ready", "ready"]);
  assert.ok(row.deletingSince, "it is marked for deletion");
  await patchObject(scene, path, [{ op: "replace", path: "/metadata/finalizers", value: [] }]);
  assert.is((await scene.ended(id, "backup")).state, "succeeded");
  assert.is((await listBackupRows(scene, id))[0].state, "deleted");
});

test("keeps a content that is bound to another snapshot, and a snapshot with another UID", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id } = planted;
  const at = new Date(NOON.getTime() - 3 * HOUR), first = new Date(NOON.getTime() - 5 * HOUR);
  const [foreign, recreated] = await insertBackups(scene.db, scene.simulator.url, planted, [{ at: first }, { at }]);
  await waitForControllers(scene.simulator.objects);
  const { name: content } = scene.simulator.objects("VolumeSnapshotContent")
    .find(({ spec }) => spec.volumeSnapshotRef.name === `files-${foreign!.slice(4)}`)!.metadata;
  await patchObject(scene, `${API}/volumesnapshotcontents/${content}`, [
    { op: "replace", path: "/spec/volumeSnapshotRef/uid", value: crypto.randomUUID() },
  ]);
  await scene.db.sql(
    "update backups set volumes = jsonb_set(volumes, '{0,snapshotUid}', '\"another\"') where id = $1",
    [recreated],
  );
  await requestBackup(scene, id);
  const job = await scene.ended(id, "backup");
  assert.is(job.state, "succeeded");
  const observed = scene.simulator.objects("VolumeSnapshotContent").find(({ metadata }) => metadata.name === content);
  assert.equal([observed?.["spec"].deletionPolicy, observed?.metadata.deletionTimestamp], ["Retain", undefined]);
  const states = new Map((await listBackupRows(scene, id)).map((row) => [row.id, row.state]));
  assert.is(states.get(foreign), "deleted", "its snapshots are gone, and the content did not belong to them");
  assert.match(String(job.progress.notes), /The VolumeSnapshot .* was kept, because this backup did not create it/);
  assert.equal(listExisting(scene, "VolumeSnapshot", [`files-${recreated!.slice(4)}`]), [
    `files-${recreated!.slice(4)}`,
  ]);
});

test("succeeds with a note if an expired backup cannot be deleted, and retries with the next backup", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id } = planted;
  const [old] = await insertBackups(scene.db, scene.simulator.url, planted, [{ at: new Date(NOON.getTime() - HOUR) }]);
  await waitForControllers(scene.simulator.objects);
  const fault = scene.simulator.faults.answer(403, {
    method: "DELETE",
    path: `/volumesnapshots/files-${old!.slice(4)}`,
  });
  await requestBackup(scene, id);
  const job = await scene.ended(id, "backup");
  assert.is(job.state, "succeeded");
  assert.match(String(job.progress.notes), /could not be deleted/);
  const before = (await listBackupRows(scene, id)).find((row) => row.id === old);
  assert.equal([before.state, before.deletingSince instanceof Date], ["ready", true]);
  scene.simulator.faults.remove(fault);
  await requestBackup(scene, id);
  await scene.ended(id, "backup");
  assert.is((await listBackupRows(scene, id)).find((row) => row.id === old).state, "deleted");
});

test("distinguishes a slow API server from slow storage", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id, namespace } = planted;
  const hours = (n: number) => ({ at: new Date(NOON.getTime() - n * HOUR) });
  await insertBackups(scene.db, scene.simulator.url, planted, [hours(2), hours(1)]);
  await waitForControllers(scene.simulator.objects);
  const kubeconfig = { text: scene.simulator.kubeconfig() };
  const cluster = await openCluster({ name: "default", kubeconfig, deadline: 300, log: SILENT_LOG });
  const site = {
    spoke: await scene.row(id),
    inputs: (await scene.row(id)).blueprintInputs,
    cluster,
    space: cluster.space(namespace, (await scene.row(id)).namespaceUid!),
  };
  const [job] = await scene.db.sql("select id from jobs limit 1"), notes: unknown[] = [];
  const run = {
    job: { id: job!.id, attempt: 1, progress: {} },
    signal: new AbortController().signal,
    ...{ log: SILENT_LOG, throwIfStopped: () => {}, showProgress: () => {}, timeLeft: () => HOUR },
    saveProgress: (values: unknown) => Promise.resolve(void notes.push(values)),
    write: (work: (tx: Tx) => Promise<unknown>) => scene.db.transact(work),
  } as unknown as JobRun;
  const fault = scene.simulator.faults.hang({ method: "GET", path: `${namespace}/volumesnapshots` });
  const failure = await rejection(deleteExpiredBackups(site as unknown as SpokeSite, run, "expired"));
  scene.simulator.faults.remove(fault);
  await cluster.close();
  assert.equal([failure.code, notes], ["deadline", []]);
});

test("deletes failed backups if the snapshot quota is full", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id, namespace } = planted;
  const at = new Date(NOON.getTime() - HOUR);
  await insertBackups(scene.db, scene.simulator.url, planted, [
    { at: new Date(NOON.getTime() - DAY) },
    { at, state: "failed" },
  ]);
  await postObject(scene.simulator.url, `/api/v1/namespaces/${namespace}/resourcequotas`, {
    metadata: { name: "spoke" },
    spec: { hard: { "count/volumesnapshots.snapshot.storage.k8s.io": "4" } },
  });
  await until(() =>
    scene.simulator.objects("ResourceQuota").some((quota) =>
      quota.metadata.namespace === namespace && quota["status"]?.used !== undefined
    )
  );
  await requestBackup(scene, id);
  const job = await scene.ended(id, "backup");
  assert.is(job.failure?.message ?? "", "");
  assert.equal((await listBackupRows(scene, id)).map(({ state }) => state), ["ready", "deleted", "ready"]);
});

test("keeps the backups of a spoke in removal, and takes a last one", async (context) => {
  const { scene } = context, planted = await createSpoke(context), { id } = planted;
  const old = await insertBackups(scene.db, scene.simulator.url, planted, [
    { at: new Date(NOON.getTime() - 3 * DAY) },
    { at: new Date(NOON.getTime() - 3 * DAY - HOUR) },
  ]);
  await waitForControllers(scene.simulator.objects);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await scene.becomes(id, "removed");
  const all = await listBackupRows(scene, id);
  assert.equal(all.map(({ kind, state }) => [kind, state]), [
    ["nightly", "ready"],
    ["nightly", "ready"],
    ["last", "ready"],
  ]);
  const contents = all.flatMap(({ volumes }) => volumes.map(({ content }: { content: string }) => content));
  assert.is(contents.length, 6);
  assert.equal(listExisting(scene, "VolumeSnapshotContent", contents).sort(), contents.sort());
  assert.ok(old.length);
});

test("marks the last backup as failed if the spoke has no volumes", async (context) => {
  const { scene } = context, { id, namespace } = await createSpoke(context);
  for (const name of ["files", "data-db-0"]) {
    await fetch(`${scene.simulator.url}/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`, {
      method: "DELETE",
    });
  }
  const remaining = () =>
    scene.simulator.objects("PersistentVolumeClaim").some(({ metadata }) => metadata.namespace === namespace);
  await until(() => !remaining());
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  await scene.becomes(id, "removed");
  assert.equal((await listBackupRows(scene, id)).map(({ kind, state }) => [kind, state]), [["last", "failed"]]);
  const { notes } = (await scene.operations(id))[0]!.progress;
  assert.match(String(notes), /No last snapshot was taken: the site has no volumes/);
});

test.run();
