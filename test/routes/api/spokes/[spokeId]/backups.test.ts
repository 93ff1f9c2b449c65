import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { DEFAULT_RETENTION } from "#lib/model/backup.ts";
import { describeBackupSchedule } from "#lib/domains/backups/schedule.ts";
import { saveSnapshotClasses } from "#lib/domains/backups/store.ts";
import { retainPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { DAY } from "#lib/base/time.ts";
import { createId } from "#lib/base/ids.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("GET /api/spokes/{spokeId}/backups");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

type State = "pending" | "ready" | "failed" | "deleted";

/** Inserts a backup from that many hours ago. */
async function backup({ db, spoke, hub }: Scene, hours: number, state: State, more: object = {}): Promise<string> {
  const id = createId("bak"), at = new Date(Date.now() - hours * 3_600_000);
  await db.rows.insertInto("backups").values({
    id,
    spokeId: spoke,
    federationId: hub,
    operationId: createId("op"),
    cluster: "default",
    namespace: "spoke-oak",
    kind: "nightly",
    state,
    error: null,
    createdAt: at,
    readyAt: state === "ready" ? at : null,
    failedAt: state === "failed" ? at : null,
    deletedAt: state === "deleted" ? at : null,
    ...more,
  }).execute();
  return id;
}

test("reports before the first check that nothing was checked, with all fields.", async ({ scene }) => {
  const { status, body } = await scene.as("spokeAdmin", "readonly").get(`/api/spokes/${scene.spoke}/backups`);
  assert.is(status, 200);
  assert.equal(body, {
    available: false,
    schedule: describeBackupSchedule(scene.spoke, null),
    retention: { ...DEFAULT_RETENTION },
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: "Checking whether the cluster can take backups; this takes a few minutes",
    restoreTests: "off",
    lastVerifiedAt: null,
    unverifiedSince: null,
    snapshots: [],
    kept: [],
  });
});

test("reports the time and the retention of the hub's tier", async ({ scene }) => {
  const text = 'tiers: [{ name: early, backups: { window: { from: "13:00", to: "14:00" } } }]';
  Object.assign(scene.app, { catalog: loadCatalog(text, scene.app.blueprint) });
  await updateRows(scene.db, "federations", { tier: "early" });
  const [spoke] = await scene.db.sql("select blueprint_inputs as inputs from spokes where id = $1", [scene.spoke]);
  const retention = { daily: 3, weekly: 0, monthly: 0 };
  await updateRows(scene.db, "spokes", { blueprintInputs: { ...spoke.inputs, tier: { retention } } }, {
    id: scene.spoke,
  });
  const { body } = await scene.as("spokeAdmin", "readonly").get(`/api/spokes/${scene.spoke}/backups`);
  assert.match(body.schedule, /^every night at 13:\d\d UTC$/);
  assert.equal(body.retention, retention);
});

test("explains why a cluster can take no backups: no retaining class, or none for the volumes.", async ({ scene }) => {
  const ask = async () => (await scene.as("hubAdmin").get(`/api/spokes/${scene.spoke}/backups`)).body;
  await saveSnapshotClasses(scene.db.rows, "default", new Error("nobody answers"));
  assert.equal(
    (await ask()).lastError,
    "Cannot check yet whether the cluster can take backups: nobody answers",
  );
  await saveSnapshotClasses(scene.db.rows, "default", []);
  const none = await ask();
  assert.equal([none.available, none.lastError], [
    false,
    "No backups: the cluster has no snapshot class with the deletion policy Retain for these volumes",
  ]);
  await saveSnapshotClasses(scene.db.rows, "default", [{ name: "keeping", driver: "disk.example" }]);
  assert.equal([(await ask()).available, (await ask()).lastError], [true, null]);
  await saveSnapshotClasses(scene.db.rows, "default", new Error("nobody answers"));
  assert.is((await ask()).available, true, "the last result is kept when a check fails");
  const volumes = JSON.stringify([{ claim: "files", snapshot: "files-1", driver: "another.example" }]);
  await backup(scene, 1, "failed", { volumes, error: "no class" });
  assert.is((await ask()).available, false);
});

test("lists backups newest first, with sizes in bytes and the last success and failure.", async ({ scene }) => {
  await saveSnapshotClasses(scene.db.rows, "default", [{ name: "keeping", driver: "disk.example" }]);
  const old = await backup(scene, 200, "ready", { sizeBytes: 16106127360 });
  await backup(scene, 300, "failed", { error: "long ago" });
  await backup(scene, 250, "deleted", { readyAt: new Date() });
  await backup(scene, 60, "ready", { deletingSince: new Date() });
  const ready = await backup(scene, 50, "ready");
  const failed = await backup(scene, 26, "failed", { error: "the pool is full" });
  const pending = await backup(scene, 0, "pending");
  const { body } = await scene.as("operator").get(`/api/spokes/${scene.spoke}/backups`);
  assert.equal(body.snapshots.map(({ id, state }: { id: string; state: State }) => [id, state]), [
    [pending, "pending"],
    [failed, "failed"],
    [ready, "ready"],
    [old, "ready"],
  ]);
  assert.is(body.snapshots[3].sizeBytes, 16106127360);
  assert.equal([body.lastSuccessAt, body.lastFailureAt], [body.snapshots[2].readyAt, body.snapshots[1].createdAt]);
  assert.equal([body.available, body.lastError], [true, "the pool is full"]);
});

test("reports no failed backup while the spoke is suspended.", async ({ scene }) => {
  await backup(scene, 5, "failed", { error: "the pool is full" });
  const read = async () => (await scene.as("spokeAdmin").get(`/api/spokes/${scene.spoke}/backups`)).body;
  assert.is.not((await read()).lastFailureAt, null);
  await updateRows(scene.db, "spokes", { state: "suspended" });
  assert.is((await read()).lastFailureAt, null);
  await updateRows(scene.db, "spokes", { state: "active" });
});

/** Fields that results of earlier releases lack. */
const NOT_COMPARED = { files: null, hashed: null, codeRelease: null };

test("shows for each backup its restore test with its duration, or its error.", async ({ scene }) => {
  const at = new Date("2026-11-20T05:00:00.000Z");
  const verification = { courses: 2, users: 5, seconds: 96, compared: true };
  await backup(scene, 20, "ready", {
    verifiedAt: at,
    verification: JSON.stringify(verification),
    restoreTestId: "op_1",
  });
  await backup(scene, 10, "ready", {
    verificationError: "its database belongs to another site",
    restoreTestId: "op_2",
  });
  await updateRows(scene.db, "spokes", { verifiedAt: at.toISOString(), unverifiedSince: at.toISOString() });
  const { body } = await scene.as("spokeAdmin").get(`/api/spokes/${scene.spoke}/backups`);
  assert.equal([body.lastVerifiedAt, body.unverifiedSince], [at.toISOString(), at.toISOString()]);
  assert.equal(
    body.snapshots.map((
      { verifiedAt, verification, verificationError }: Record<string, unknown>,
    ) => [verifiedAt, verification, verificationError]),
    [[null, null, "its database belongs to another site"], [
      at.toISOString(),
      { ...verification, ...NOT_COMPARED },
      null,
    ]],
  );
});

test("lists volume claims that a restore replaced, but none that failed or is being deleted.", async ({ scene }) => {
  const { db, spoke: spokeId } = scene, operationId = createId("op");
  const put = (reason: "replaced" | "unused", ...claims: string[]) =>
    db.transact((tx) =>
      retainPvcs(tx, { spokeId, operationId, reason }, claims.map((claim) => ({ claim, uid: claim })))
    );
  await put("replaced", "files", "data-db-0", "going");
  await put("unused", "files-0");
  await db.sql("update retained_pvcs set deleting_since = now() where claim = 'going'");
  const { body } = await scene.as("spokeAdmin").get(`/api/spokes/${spokeId}/backups`);
  assert.equal(body.kept.map(({ claim }: { claim: string }) => claim), ["data-db-0", "files"]);
  const [{ since, until }] = body.kept;
  assert.is(Math.round((Date.parse(until) - Date.parse(since)) / DAY), 7); // each has a different time
  await db.sql("update spokes set state = 'removed', removed_at = now()");
  const gone = await scene.as("operator").get(`/api/spokes/${spokeId}/backups?includeRemoved=true`);
  assert.equal(gone.body.kept, []);
});

test("stays readable to operators after the spoke was removed, and to no one else.", async ({ scene }) => {
  const id = await backup(scene, 5, "ready", { kind: "last" });
  await scene.db.sql("update spokes set state = 'removed', removed_at = now()");
  const path = `/api/spokes/${scene.spoke}/backups`;
  const { body } = await scene.as("operator").get(`${path}?includeRemoved=true`);
  assert.is(body.snapshots[0].id, id);
  assert.is((await scene.as("operator").get(path)).status, 404);
  assert.is((await scene.as("hubAdmin").get(`${path}?includeRemoved=true`)).status, 404);
});

test("is 404 for users who cannot see the spoke.", async ({ scene }) => {
  const { status, body } = await scene.as("stranger").get(`/api/spokes/${scene.spoke}/backups`);
  assert.equal([status, body.message], [404, "There is no such spoke, or you have no access to it"]);
});

test.run();
