/** A spoke with a backup, and helpers that queue and read its restore tests. */
import type { Selectable } from "kysely";
import * as assert from "uvu/assert";
import { RESTORE_TEST } from "#lib/recovery/restore-tests/context.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { SiteDatabase, SiteFiles } from "#lib/dev/simulator/programs/moodle/site.ts";
import { isFinalJobState, type Job, type JobOf } from "#lib/jobs/job.ts";
import { toJob } from "#lib/jobs/store.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

type RestoreTestJob = JobOf<typeof RESTORE_TEST>;

const MINUTE = 60_000;
/** The hashes of the uploaded files. */
export const UPLOADS = ["a".repeat(40), "b".repeat(40)];

export interface RestoreTestScene {
  readonly scene: WorkScene;
  /** The ID of an active spoke in use. */
  readonly id: string;
  createSpoke(): Promise<string>;
  act(id: string, action: "suspend" | "resume"): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Opens a scene with restore tests on and no running replica. A test decides when a restore test is due. */
export async function openRestoreTestScene(): Promise<RestoreTestScene> {
  const scene = await openWorkScene(5, { RESTORE_TESTS: "nightly" }), { db, app, actor } = scene;
  await db.sql("update users set operator = true, email_verified_at = now()");
  const hub = await scene.hub("math");
  let count = 0;
  const createSpoke = async () => {
    const id = await scene.spoke(hub, count++ === 0 ? "algebra" : `algebra-${count}`);
    const { namespace } = await scene.becomes(id, "active");
    const site = scene.simulator.site(namespace), names = Array.from({ length: 5 }, (_, i) => `person-${i}`);
    const uploads = Object.fromEntries(UPLOADS.map((hash) => [hash, 7]));
    const accounts = Object.fromEntries(names.map((name) => [name, { password: "" }]));
    site.saveDatabase({ ...site.database, courses: ["Algebra", "Geometry"], accounts, uploads });
    return id;
  };
  const replica = await scene.replica(), id = await createSpoke();
  await replica.close();
  const act = (prefix: string, action: "suspend" | "resume") =>
    db.transact((tx) => checkAndEnqueueAction(app, tx, actor, prefix, { action, parameters: {} })).then(() => {});
  const remove = async (prefix: string) => void await removeSpoke(app, actor, await scene.row(prefix));
  return { scene, id, createSpoke, act, remove };
}

/** Takes a manual backup. */
export async function backUp({ db, app, actor, ended }: WorkScene, id: string): Promise<BackupWithVolumes> {
  await db.transact((tx) => checkAndEnqueueAction(app, tx, actor, id, { action: "backup", parameters: {} }));
  const operation = await ended(id, "backup");
  const [row] = await selectRows(db, "backups", { operationId: operation.id });
  return row as unknown as BackupWithVolumes;
}

interface BackupWithVolumes {
  readonly id: string;
  readonly counts: unknown;
  readonly volumes: readonly { readonly claim: string; readonly handle: string }[];
}

interface StoredData {
  readonly database: SiteDatabase;
  readonly files: SiteFiles;
}

/** Changes the stored data of a backup. */
export function damage<D extends keyof StoredData>(
  { simulator }: WorkScene,
  { volumes }: BackupWithVolumes,
  disk: D,
  change: (data: StoredData[D]) => StoredData[D],
): void {
  const { handle } = volumes.find(({ claim }) => (claim === "files") === (disk === "files"))!;
  simulator.volumes.write(handle, change(simulator.volumes.read(handle)));
}

/** Makes the spoke's restore test due. Returns the ID of the queued job. */
export async function queueTest({ db }: WorkScene, id: string): Promise<string> {
  const before = (await listTestJobs(db, id)).length;
  await updateRows(db, "spokes", { restoreTestDueAt: NOW }, { id });
  await updateRows(db, "jobs", { runAt: NOW }, { kind: "plan-restore-tests", state: "queued" });
  await db.transact((tx) => Promise.resolve(void tx.wakes.add("jobs")));
  return (await until(async () => (await listTestJobs(db, id))[before], MINUTE)).id;
}

/** Queues a restore test that waits for its volumes until the faults are cleared. */
export async function queueWaitingTest(scene: WorkScene, id: string): Promise<string> {
  scene.simulator.faults.unready("sandbox-");
  const test = await queueTest(scene, id);
  await until(async () => (await readTestJob(scene, test)).finishedSteps.includes("sandbox"));
  return test;
}

async function listTestJobs(db: WorkScene["db"], id: string): Promise<Job[]> {
  const rows = await selectRows(db, "jobs", { kind: "restore-test", spokeId: id }, { orderBy: "seq" });
  return rows.map((row) => toJob(row as never));
}

export async function readTestJob({ db }: WorkScene, restoreTestId: string): Promise<RestoreTestJob> {
  return requireJobData(RESTORE_TEST, toJob((await selectRows(db, "jobs", { id: restoreTestId }))[0] as never));
}

/** Waits until the restore test has ended. Asserts that its sandbox is gone. */
export async function waitForTest(scene: WorkScene, restoreTestId: string): Promise<RestoreTestJob> {
  const test = await until(async () => {
    const job = await readTestJob(scene, restoreTestId);
    return isFinalJobState(job.state) && job;
  }, MINUTE);
  assert.equal(listSandboxObjects(scene, test), []);
  return test;
}

/** Returns the namespace of the sandbox, if it exists. */
export function sandboxOf({ simulator }: WorkScene, restoreTestId: string): string | undefined {
  return simulator.objects("Namespace").find(({ metadata }) =>
    metadata.labels?.["wheelwright.dev/sandbox"] === restoreTestId
  )
    ?.metadata.name;
}

export async function backupRow({ db }: WorkScene, id: string): Promise<Selectable<Schema["backups"]>> {
  return await db.rows.selectFrom("backups").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

interface Outcome {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

async function outcomes({ db }: WorkScene, id: string): Promise<Outcome[]> {
  return await db.sql(
    "select kind, metadata from audit_events where spoke_id = $1 and kind like 'tenant_backup_%ed' and kind <> $2 order by at",
    [id, "tenant_backup_succeeded"],
  );
}

/** Returns the audit events of the spoke's restore tests. */
export async function listOutcomeKinds(scene: WorkScene, id: string): Promise<string[]> {
  return (await outcomes(scene, id)).map(({ kind }) => kind);
}

export async function lastOutcome(scene: WorkScene, id: string): Promise<Outcome> {
  return (await outcomes(scene, id)).at(-1)!;
}

export async function listMails({ db }: WorkScene): Promise<object[]> {
  const mailJobs = await db.sql(
    "select payload -> 'letter' as letter from jobs where lane like 'bulk-mail:%' order by seq",
  );
  return mailJobs.map(({ letter: { to, about } }) => ({
    to: to.email,
    backupId: about.backupId,
    reason: about.reason,
  }));
}

/** Returns everything in the cluster that belongs to a restore test's sandbox. */
function listSandboxObjects({ simulator }: WorkScene, { id, progress }: RestoreTestJob): string[] {
  const prefix = progress.inputs?.namespace;
  return simulator.objects()
    .filter(({ metadata: { labels, name, namespace } }) =>
      labels?.["wheelwright.dev/sandbox"] === id || prefix !== undefined && (namespace ?? name).startsWith(prefix)
    )
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}
