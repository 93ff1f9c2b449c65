/** Tests copies that wait for their backup, and the retention of such backups. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeOperations } from "#lib/jobs/operation.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { findSpoke } from "#lib/domains/spokes/store.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { fillVolumes } from "#lib/recovery/copies.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { addSiteContents, siteContentsOf } from "#test/support/sites.ts";
import { rejection, until } from "#test/support/until.ts";
import { betweenAttempts } from "#test/lib/workers/backups/scene.ts";
import { backUp, copy, type CopyScene, holdBackups, holdCopies, openCopies, sourcesOf } from "./copy-scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<CopyScene>("a copy that waits");
test.before(openCopies);
test.after(({ scene }) => scene.close());

const WAITING = "Waiting for the backup from which the spoke is created";

async function waits({ scene }: CopyScene, id: string): Promise<void> {
  await until(async () => (await scene.operations(id)).some(({ label }) => label === WAITING));
}

async function states({ scene, id }: CopyScene): Promise<string[]> {
  return (await selectRows(scene.db, "backups", { spokeId: id }, { columns: ["state"], orderBy: "createdAt" }))
    .map(({ state }) => state);
}

test("waits for a running backup without blocking its hub or the source", async (context) => {
  const { scene, id, namespace } = context, { simulator } = scene;
  const release = holdBackups(context);
  const made = await copy(context, { copyBackup: "now" });
  await waits(context, made);
  const [job] = await scene.operations(made);
  const [shown] = await describeOperations(scene.db.rows, [job!]);
  assert.equal(
    [shown!.state, shown!.label, shown!.waitingFor?.kind, shown!.waitingFor?.spokeId, shown!.nextAttemptAt],
    [
      "queued",
      WAITING,
      "backup",
      id,
      null,
    ],
  );
  assert.equal([job!.failure, job!.deadlineAt, job!.attempt], [null, null, 0]);
  const [hub] = await selectRows(scene.db, "federations");
  const other = await scene.becomes(await scene.spoke(hub, "geometry"), "active", "failed");
  assert.is(other.state, "active", "another install of the hub waited for it");
  assert.is((await scene.row(id)).state, "active");
  addSiteContents(simulator, namespace, "at the snapshot"); // the snapshot of the database was taken
  release();
  const row = await scene.becomes(made, "active", "failed");
  assert.is(row.state, "active", row.stateReason!);
  assert.is(siteContentsOf(simulator, row.namespace).row, "as it was");
  assert.equal(await states(context), ["ready"]);
});

test("shares a backup that has not started yet", async (context) => {
  const { scene, id } = context, release = holdBackups(context);
  const first = await copy(context, { copyBackup: "now" });
  await waits(context, first);
  const [second, third] = [await copy(context, { copyBackup: "now" }), await copy(context, { copyBackup: "now" })];
  const from = async (made: string) => (await scene.row(made)).fromBackup;
  assert.is.not(await from(second), await from(first));
  assert.is(await from(third), await from(second));
  release();
  for (const made of [first, second, third]) assert.is((await scene.becomes(made, "active", "failed")).state, "active");
  assert.is((await scene.operations(id)).filter(({ kind }) => kind === "backup").length, 3);
});

test("fails with its backup, and leaves only the source", async (context) => {
  const { scene, id, namespace } = context, { faults } = scene.simulator;
  const fault = faults.add({ type: "no-snapshot", name: `${namespace}/`, message: "the array is full" });
  const made = await copy(context, { copyBackup: "now" });
  const row = await scene.becomes(made, "active", "failed");
  faults.remove(fault);
  assert.equal([row.state, (await scene.row(id)).state], ["failed", "active"]);
  assert.match(row.stateReason!, /^The backup bak_\w+ could not be taken: .*the array is full/, row.stateReason!);
  const [job] = await scene.operations(made);
  assert.equal([job!.failure!.step, job!.failure!.code], ["volumes", "BackupNotReady"]);
  const [audit] = await selectRows(scene.db, "audit_events", { kind: "spoke_provision_failed" }, {
    columns: ["metadata"],
  });
  assert.is(audit.metadata.operationId, job!.id);
  await removeSpoke(scene.app, scene.actor, (await findSpoke(scene.db.rows, made, "hidden"))!);
  await scene.becomes(made, "removed");
});

test("reads the result of a backup that ends between its two queries", async (context) => {
  const { scene, id, namespace } = context, { faults } = scene.simulator;
  const fault = faults.add({ type: "no-snapshot", name: `${namespace}/`, message: "the array is full" });
  const made = await copy(context, { copyBackup: "now" });
  const spoke = (await findSpoke(scene.db.rows, made, "hidden"))!;
  const ends = async () => {
    await scene.ended(id, "backup");
    faults.remove(fault);
  };
  let ending: Promise<void> | undefined;
  const rows = scene.db.rows.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => (await (ending ??= ends()), result), // of the first
  });
  const site = { app: { ...scene.app, db: { ...scene.app.db, rows } }, spoke } as unknown as SpokeSite;
  const failure = await rejection(fillVolumes(site, {} as JobRun)) as Error;
  assert.match(failure.message, "the array is full", failure.message);
});

test("fails if its source was upgraded before the backup", async (context) => {
  const { scene } = context, source = await scene.becomes(await copy(context), "active");
  const own = { ...context, id: source.id, namespace: source.namespace }, { faults } = scene.simulator;
  const fault = faults.answer(503, { method: "GET", path: `${source.namespace}/persistentvolumeclaims` });
  const made = await copy(own, { copyBackup: "now" });
  await betweenAttempts(scene, source.id, async () => {
    await scene.db.sql(
      `update spokes set lms_version = '5.2.2',
        blueprint_inputs = jsonb_set(blueprint_inputs, '{images,moodle}', '"moodle:5.2.2"') where id = $1`,
      [source.id],
    );
    faults.remove(fault);
  });
  const row = await scene.becomes(made, "active", "failed");
  assert.is(row.state, "failed");
  assert.match(row.stateReason!, / contains Moodle 5\.2\.2, but this site needs /, row.stateReason!);
});

test("fails if its source is removed before the backup", async (context) => {
  const { scene } = context;
  const source = await scene.becomes(await copy(context), "active");
  const own = { ...context, id: source.id, namespace: source.namespace };
  holdBackups(own);
  const made = await copy(own, { copyBackup: "now" });
  await waits(own, made);
  await removeSpoke(scene.app, scene.actor, (await findSpoke(scene.db.rows, source.id, "hidden"))!);
  const row = await scene.becomes(made, "active", "failed");
  assert.equal([row.state, row.readyAt], ["failed", null]);
  assert.match(row.stateReason!, "could not be taken: The backup was cancelled");
});

test("retains its backup until it is created", async (context) => {
  const { scene } = context;
  const older = await backUp(context), release = holdCopies(context);
  const made = await copy(context);
  const newer = await backUp(context); // of one day, the newest is kept
  const readyBackups = async () => {
    const found = await scene.db.sql("select id from backups where id = any($1) and state = 'ready'", [[older, newer]]);
    return found.map(({ id }) => id).sort();
  };
  assert.equal(await readyBackups(), [older, newer].sort());
  release();
  assert.is((await scene.becomes(made, "active", "failed")).state, "active");
  await backUp(context);
  assert.equal(await readyBackups(), []);
});

test("retains its backup after a failure, until a retry or removal", async (context) => {
  const { scene } = context, { faults } = scene.simulator;
  const older = await backUp(context), fault = faults.failJob("setup-", { log: ["500"], exitCode: 22 });
  const [made, other] = [await copy(context), await copy(context)];
  for (const id of [made, other]) assert.is((await scene.becomes(id, "active", "failed")).state, "failed");
  await backUp(context);
  const [kept] = await selectRows(scene.db, "backups", { id: older }, { columns: ["state"] });
  assert.is(kept.state, "ready");
  faults.remove(fault);
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, made, { action: "retry", parameters: {} })
  );
  const row = await scene.becomes(made, "active", "failed");
  assert.equal([row.state, row.mail, row.blueprintInputs.mailHeld], ["active", "held", true]);
  const { database } = scene.simulator.site(row.namespace);
  assert.equal([database!.config!.fullname, database!.config!.noemailever], ["Copy of algebra", "1"]);
  assert.ok(sourcesOf(scene).length > 0, "the other one still has what its volumes are made by");
  await removeSpoke(scene.app, scene.actor, (await findSpoke(scene.db.rows, other, "hidden"))!);
  await scene.becomes(other, "removed");
  assert.equal(sourcesOf(scene), []);
});

test("is refused for a source that cannot be backed up", async (context) => {
  const { scene, id } = context;
  await updateRows(scene.db, "spokes", { state: "failed" }, { id });
  const error = await rejection(copy(context, { copyBackup: "now" }));
  assert.is(error.message, "Cannot back up a spoke that is failed; it must be active or suspended");
});

test.run();
