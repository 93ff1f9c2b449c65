/** A site that people use, backed up, and the night in which its backup is put to the proof. */
import { isFinished, type Job } from "#lib/records/jobs/job.ts";
import { toJob } from "#lib/records/jobs/store.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import type { SiteDatabase } from "#lib/dev/simulator/programs/moodle/site.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/work/scene.ts";

const MINUTE = 60_000;

export interface DrillScene {
  readonly scene: WorkScene;
  /** An active spoke. */
  readonly id: string;
  readonly namespace: string;
}

/** Drills are on. The night comes when a test says so. */
export async function openDrills(env: Record<string, string> = {}): Promise<DrillScene> {
  const scene = await openWorkScene(5, { RESTORE_DRILLS: "nightly", ...env });
  const replica = await scene.replica();
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const { namespace } = await scene.becomes(id, "active");
  await replica.close();
  await scene.db.sql("update jobs set run_at = run_at + interval '1 day' where state = 'queued'");
  people(scene, namespace);
  return { scene, id, namespace };
}

/** Courses and people come into the site. */
export function people({ simulator }: WorkScene, namespace: string, count = 5): void {
  const site = simulator.site(namespace), names = Array.from({ length: count }, (_, i) => `person-${i}`);
  const accounts = Object.fromEntries(names.map((name) => [name, { password: "" }]));
  site.saveDatabase({ ...site.database, courses: ["Algebra", "Geometry"], accounts });
}

/** A backup, as somebody asks for it. */
export async function backUp({ db, app, actor, ended }: WorkScene, id: string): Promise<Backed> {
  await db.transact((tx) => acceptAction(app, tx, actor, id, { action: "backup", wish: {} }));
  const operation = await ended(id, "backup");
  const [row] = await db.sql("select * from backups where operation_id = $1", [operation.id]);
  return row as Backed;
}

export interface Backed {
  readonly id: string;
  readonly counts: unknown;
  readonly volumes: readonly { readonly claim: string; readonly handle: string }[];
}

/** Damages what the storage keeps of the database. */
export function damage({ simulator }: WorkScene, { volumes }: Backed, change: (data: SiteDatabase) => SiteDatabase) {
  const { handle } = volumes.find(({ claim }) => claim === "data-db-0")!;
  simulator.volumes.write(handle, change(simulator.volumes.read(handle)));
}

/** The time of the spoke's drill has come: has it planned, and returns its job. */
export async function night({ db }: WorkScene, id: string): Promise<string> {
  await db.sql("update spokes set drill_due_at = wheelwright_now() where id = $1", [id]);
  await db.sql("update jobs set run_at = wheelwright_now() where kind = 'plan-drills' and state = 'queued'");
  await db.transact((tx) => Promise.resolve(tx.wakes.add("jobs")));
  const drill = await until(async () => (await drills(db, id)).find(({ state }) => !isFinished(state)), MINUTE);
  return drill.id;
}

/** The drill, once it has ended: nothing of it is left then. */
export async function ended({ db }: WorkScene, drillId: string): Promise<Job> {
  return await until(async () => {
    const [row] = await db.sql("select * from jobs where id = $1", [drillId]);
    return row && isFinished(row.state) && toJob(row);
  }, MINUTE);
}

export async function drills(db: WorkScene["db"], id: string): Promise<Job[]> {
  return (await db.sql("select * from jobs where kind = 'drill' and spoke_id = $1 order by seq", [id])).map(toJob);
}

// deno-lint-ignore no-explicit-any
export async function backupRow({ db }: WorkScene, id: string): Promise<any> {
  return (await db.sql("select * from backups where id = $1", [id]))[0];
}

export async function toldOf({ db }: WorkScene, id: string): Promise<string[]> {
  const kinds = ["tenant_backup_proved", "tenant_backup_failed"];
  const found = await db.sql(
    "select kind from audit_events where spoke_id = $1 and kind = any($2::text[]) order by at",
    [id, kinds],
  );
  return found.map(({ kind }) => kind);
}

/** All that stands in the cluster and belongs to a sandbox. */
export function leftOf({ simulator }: WorkScene): string[] {
  return simulator.objects()
    .filter(({ metadata: { labels, name, namespace } }) =>
      labels?.["wheelwright.dev/sandbox"] !== undefined || /^sandbox-/.test(namespace ?? name)
    )
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}
