/** Sets up a database with hubs and spokes, schedulers, and job kinds that tests control. */
import type { Requester } from "#lib/audit/requester.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { createId } from "#lib/base/ids.ts";
import { buildHubLane, buildSpokeLane, type Job, type NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { enqueueJob, findJob } from "#lib/jobs/store.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler, type SchedulerOptions } from "#lib/scheduler/scheduler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";

export const ASKER: Requester = {
  userId: "",
  email: "ann@example.org",
  ip: "192.0.2.7",
  userAgent: "test",
  tokenPrefix: null,
};

export interface Hub {
  readonly id: string;
  readonly spokes: readonly string[];
}

export interface Scene {
  readonly db: TestDatabase;
  readonly asker: Requester;
  hub(spokes: number, state?: string): Promise<Hub>;
  enqueue(...jobs: NewJob[]): Promise<Job[]>;
  open(handlers: readonly JobHandler[], options?: Partial<SchedulerOptions> & { on?: Database }): Promise<Scheduler>;
  /** Waits until the job passes the check. */
  until(id: string, check: (job: Job) => boolean): Promise<Job>;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const db = await openTestDatabase();
  const userId = createId("usr");
  const requester = { ...ASKER, userId };
  await db.rows.insertInto("users").values({ id: userId, email: requester.email, displayName: "Ann" }).execute();
  const opened: Scheduler[] = [];
  return {
    db,
    asker: requester,
    hub: (spokes, state = "active") => makeHub(db, userId, spokes, state),
    enqueue: (...jobs) =>
      db.transact(async (tx) => {
        const enqueued: Job[] = [];
        for (const job of jobs) enqueued.push(await enqueueJob(tx, requester, job));
        return enqueued;
      }),
    async open(handlers, { on = db, ...options } = {}) {
      const release = { api: "v0", version: "test", commit: "unknown" };
      const scheduler = await openScheduler({ db: on, log: SILENT_LOG, release }, {
        handlers,
        lanes: 64,
        retry: { firstMs: 20, maxMs: 40 },
        ...options,
      });
      opened.push(scheduler);
      return scheduler;
    },
    until: (id, check) => untilJob(db, id, check),
    async close() {
      await Promise.all(opened.map((scheduler) => scheduler.close()));
      await db.close();
    },
  };
}

async function untilJob(db: Database, id: string, check: (job: Job) => boolean): Promise<Job> {
  return await until(async () => {
    const job = await findJob(db.rows, id);
    return job && check(job) && job;
  }, MINUTE);
}

async function makeHub(db: Database, userId: string, spokes: number, state: string): Promise<Hub> {
  const id = createId("fed");
  await db.rows.insertInto("federations").values({
    id,
    slug: `h${id.slice(-20)}`,
    name: "Hub",
    state: state as "active",
    cluster: "default",
    namespace: id.replace("_", "-"),
    createdBy: userId,
  }).execute();
  const made: string[] = [];
  for (let i = 0; i < spokes; i++) made.push(await makeSpoke(db, userId, id));
  return { id, spokes: made };
}

async function makeSpoke(db: Database, userId: string, federationId: string): Promise<string> {
  const id = createId("spk");
  await db.rows.insertInto("spokes").values({
    id,
    federationId,
    slug: `s${id.slice(-20)}`,
    displayName: "Spoke",
    domain: `${id.replace("_", "-")}.example.org`,
    size: "small",
    adminEmail: "ann@example.org",
    lmsVersion: "4.5",
    state: "provisioning",
    cluster: "default",
    namespace: id.replace("_", "-"),
    blueprintRevision: "1",
    blueprintInputs: "{}",
    createdBy: userId,
  }).execute();
  return id;
}

export function kind(name: string, steps: readonly string[], more: Partial<JobKind> = {}): JobKind {
  return {
    kind: name,
    plan: 1,
    visible: true,
    steps: steps.map((step) => ({ name: step, label: `Doing ${step}`, timeout: MINUTE })),
    timeLimit: 10 * MINUTE,
    ...more,
  };
}

/** Creates an install in the hub's lane, or another operation in the spoke's lane. */
export function install(of: JobKind, hub: Hub, spoke: number): NewJob {
  return { kind: of, lane: buildHubLane(hub.id), federationId: hub.id, spokeId: hub.spokes[spoke]! };
}

export function action(of: JobKind, hub: Hub, spoke: number): NewJob {
  return { kind: of, lane: buildSpokeLane(hub.spokes[spoke]!), federationId: hub.id, spokeId: hub.spokes[spoke]! };
}

export function loose(of: JobKind): NewJob {
  return { kind: of, lane: null, federationId: null, spokeId: null };
}
