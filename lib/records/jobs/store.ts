/** The rows of the queue, for those that enqueue, show or call off a job. Running them: lib/scheduler. */
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { Asker } from "#lib/records/audit/asker.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { newId } from "#lib/base/ids.ts";
import { briefColumns } from "#lib/records/jobs/columns.ts";
import { type FailureReport, isFinished, type Job, type JobState, type NewJob } from "#lib/records/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";

export type JobRow = Selectable<Schema["jobs"]>;

/** What an operation belongs to, and which page of the history is asked for. */
interface OperationFilter {
  readonly federationId?: string;
  readonly spokeId?: string;
  /** Of these spokes alone. */
  readonly spokeIds?: readonly string[];
  readonly limit: number;
  /** Exclusive. */
  readonly before?: Date | undefined;
}

const WAITING = "Waiting to start";

/** Adds the job; if a queued or running job has its dedupe key, that job is returned and nothing is added. */
export async function enqueue(tx: Tx, asker: Asker, job: NewJob): Promise<Job> {
  tx.wakes.add("jobs");
  for (;;) {
    const row = await insertJob(tx, asker, job);
    if (row) return toJob(row);
    // The live one may end between the two statements; then the next insert succeeds.
    const live = await tx.selectFrom("jobs").selectAll().where("dedupe_key", "=", job.dedupeKey!)
      .where("state", "in", ["queued", "running"]).executeTakeFirst();
    if (live) return toJob(live);
  }
}

function insertJob(tx: Tx, asker: Asker, job: NewJob): Promise<JobRow | undefined> {
  const { kind } = job;
  return tx.insertInto("jobs").values({
    id: newId("op"),
    kind: kind.kind,
    visible: kind.visible,
    lane: job.lane,
    federation_id: job.federationId,
    spoke_id: job.spokeId,
    run_at: job.runAt ?? sql<Date>`wheelwright_now()`,
    time_limit_ms: kind.timeLimit,
    plan: kind.plan,
    step_names: kind.steps.map((step) => step.name),
    label: WAITING,
    payload: JSON.stringify(job.payload ?? {}),
    dedupe_key: job.dedupeKey ?? null,
    asker_id: asker.userId,
    asker_email: asker.email,
    asker_ip: asker.ip,
    asker_agent: asker.userAgent,
    asker_token: asker.tokenPrefix,
  }).onConflict((conflict) =>
    conflict.column("dedupe_key").where("state", "in", [sql.lit<"queued">("queued"), sql.lit<"running">("running")])
      .doNothing()
  ).returningAll().executeTakeFirst();
}

export async function findJob(rows: Rows, id: string): Promise<Job | null> {
  const row = await rows.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** The same for what people can see: an operation, or null. */
export async function findOperation(rows: Rows, id: string): Promise<Job | null> {
  const job = await findJob(rows, id);
  return job?.visible ? job : null;
}

/**
 * Newest first. A page may run past its limit by the operations that share the last one's `createdAt`: the caller goes
 * on before that time, so none of them may be left for later.
 */
export async function listOperations(rows: Rows, filter: OperationFilter): Promise<Job[]> {
  let query = rows.selectFrom("jobs").select(briefColumns).where("visible", "=", true);
  if (filter.federationId !== undefined) query = query.where("federation_id", "=", filter.federationId);
  if (filter.spokeId !== undefined) query = query.where("spoke_id", "=", filter.spokeId);
  if (filter.spokeIds) query = query.where(sql<boolean>`spoke_id = any(${filter.spokeIds}::text[])`);
  if (filter.before) query = query.where("created_at", "<", filter.before);
  const newest = query.orderBy("created_at", "desc").orderBy("seq", "desc");
  const found = await newest.limit(filter.limit).execute();
  const last = found.at(-1);
  if (!last || found.length < filter.limit) return found.map(toJob);
  const ties = await newest.where("created_at", "=", last.created_at).where("seq", "<", last.seq).execute();
  return [...found, ...ties].map(toJob);
}

/**
 * The operation that each spoke shows as its present one: the running one, else the oldest queued, and one that was called
 * off only where there is no other. Spokes without one are not in the map.
 */
export async function currentOperations(rows: Rows, spokeIds: readonly string[]): Promise<Map<string, Job>> {
  if (spokeIds.length === 0) return new Map();
  const found = await rows.selectFrom("jobs").select(briefColumns).distinctOn("spoke_id")
    .where("visible", "=", true).where("state", "in", ["queued", "running"]).where("spoke_id", "in", spokeIds)
    .orderBy("spoke_id").orderBy(sql`cancel_requested_at is not null`).orderBy(sql`state = 'running'`, "desc")
    .orderBy("seq").execute();
  return new Map(found.map((row) => [row.spoke_id!, toJob(row)]));
}

/** The same for hubs: of their own operations, not of their spokes'. */
export async function currentHubOperations(rows: Rows, federationIds: readonly string[]): Promise<Map<string, Job>> {
  if (federationIds.length === 0) return new Map();
  const found = await rows.selectFrom("jobs").select(briefColumns).distinctOn("federation_id")
    .where("visible", "=", true).where("state", "in", ["queued", "running"])
    .where("federation_id", "in", federationIds).where("spoke_id", "is", null)
    .orderBy("federation_id").orderBy(sql`cancel_requested_at is not null`).orderBy(sql`state = 'running'`, "desc")
    .orderBy("seq").execute();
  return new Map(found.map((row) => [row.federation_id!, toJob(row)]));
}

/** Live operations of one spoke, oldest first: what an action has to queue behind, or what forbids it. */
export async function liveOperations(rows: Rows, spokeId: string): Promise<Job[]> {
  const found = await rows.selectFrom("jobs").select(briefColumns)
    .where("spoke_id", "=", spokeId).where("visible", "=", true)
    .where("state", "in", ["queued", "running"]).orderBy("seq").execute();
  return found.map(toJob);
}

/** The operation of this kind that failed last at a spoke, if any did. */
export async function lastFailure(rows: Rows, spokeId: string, kind: string): Promise<Job | null> {
  const row = await rows.selectFrom("jobs").select(briefColumns)
    .where("spoke_id", "=", spokeId).where("visible", "=", true)
    .where("kind", "=", kind).where("state", "=", "failed")
    .orderBy("created_at", "desc").orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** Operations of these kinds at the same spoke that had ended when this one was asked for, newest first. */
export async function endedBefore(rows: Rows, job: Job, kinds: readonly string[]): Promise<Job[]> {
  const found = await rows.selectFrom("jobs").selectAll().where("spoke_id", "=", job.spokeId).where(
    "visible",
    "=",
    true,
  )
    .where("kind", "in", kinds).where("state", "in", ["succeeded", "failed", "cancelled"]).where("seq", "<", job.seq)
    .orderBy("seq", "desc").limit(100).execute(); // more than anybody tries again and again
  return found.map(toJob);
}

/**
 * Calls the job off: a queued one is cancelled here and now, a running one is told to stop, and its holder cancels it.
 * Returns it as it is then; null if none exists, or if it has ended by itself.
 */
export async function requestCancel(tx: Tx, id: string): Promise<Job | null> {
  const row = await tx.updateTable("jobs").set({
    state: sql<JobState>`case when state = 'queued' then 'cancelled' else state end`,
    finished_at: sql<Date | null>`case when state = 'queued' then wheelwright_now() end`,
    cancel_requested_at: sql<Date>`coalesce(cancel_requested_at, wheelwright_now())`,
    updated_at: sql<Date>`wheelwright_now()`,
  }).where("id", "=", id).where("state", "in", ["queued", "running"]).returningAll().executeTakeFirst();
  if (!row) return null;
  tx.wakes.add(isFinished(row.state) ? "jobs" : `job:${id}`);
  return toJob(row);
}

/** Calls off whatever is live for a spoke, because it is going to be removed. The result is oldest first. */
export async function cancelOperationsOf(tx: Tx, spokeId: string): Promise<Job[]> {
  return await cancelAll(tx, await liveOperations(tx, spokeId));
}

/** The same for a hub: its own operations, not its spokes'. */
export async function cancelHubOperations(tx: Tx, federationId: string): Promise<Job[]> {
  const live = await tx.selectFrom("jobs").select("id").where("federation_id", "=", federationId)
    .where("spoke_id", "is", null).where("visible", "=", true).where("state", "in", ["queued", "running"])
    .orderBy("seq").execute();
  return await cancelAll(tx, live);
}

async function cancelAll(tx: Tx, live: readonly { readonly id: string }[]): Promise<Job[]> {
  const cancelled: Job[] = [];
  for (const { id } of live) {
    const job = await requestCancel(tx, id);
    if (job) cancelled.push(job);
  }
  return cancelled;
}

/** Calls off the next runs that an older release planned of kinds that repeat themselves: the newer plan runs instead. */
export async function retireOlderPlans(tx: Tx, repeated: readonly JobKind[]): Promise<void> {
  for (const { kind, plan } of repeated) {
    await tx.updateTable("jobs")
      .set({ state: "cancelled", finished_at: sql<Date>`wheelwright_now()`, updated_at: sql<Date>`wheelwright_now()` })
      .where("kind", "=", kind).where("plan", "<", plan).where("visible", "=", false).where("state", "=", "queued")
      .where("dedupe_key", "is not", null).execute();
  }
}

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    seq: row.seq,
    kind: row.kind,
    visible: row.visible,
    lane: row.lane,
    federationId: row.federation_id,
    spokeId: row.spoke_id,
    state: row.state,
    runAt: row.run_at,
    attempt: row.attempt,
    timeLimit: Number(row.time_limit_ms),
    deadlineAt: row.deadline_at,
    fence: row.fence,
    holder: row.holder,
    plan: row.plan,
    stepNames: row.step_names,
    stepsDone: row.steps_done,
    label: row.label,
    payload: row.payload,
    progress: row.progress,
    failure: row.failure as FailureReport | null,
    cancelRequestedAt: row.cancel_requested_at,
    asker: {
      userId: row.asker_id,
      email: row.asker_email,
      ip: row.asker_ip,
      userAgent: row.asker_agent,
      tokenPrefix: row.asker_token,
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
