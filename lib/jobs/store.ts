/** Stores jobs in the database: enqueues, lists and cancels them. lib/scheduler runs them. */
import { type Selectable, sql, type SqlBool } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import {
  addNewestFirstOrder,
  type ListPage,
  type ListPageRequest,
  readPage,
  withPageItems,
} from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { buildJobRow, insertJobRow } from "#lib/jobs/insert.ts";
import { jobSummaryColumns } from "#lib/jobs/summary-columns.ts";
import { type FailureReport, isFinalJobState, type Job, type JobState, type NewJob } from "#lib/jobs/job.ts";
import { waitForTurn } from "#lib/jobs/turns.ts";
import type { JobKind } from "#lib/operations/plan.ts";

export type JobRow = Selectable<Schema["jobs"]>;

interface OperationFilter extends ListPageRequest {
  readonly federationId?: string;
  readonly spokeId?: string;
  /** The IDs of spokes. Only operations on these spokes are listed. */
  readonly spokeIds?: readonly string[];
}

/** Enqueues the job. If a queued or running job has the same dedupe key, returns that job and adds nothing. */
export async function enqueueJob(tx: Tx, requester: Requester, job: NewJob): Promise<Job> {
  tx.wakes.add("jobs");
  for (;;) {
    const [row] = await insertJobRow(tx, buildJobRow(requester, job));
    if (row && job.turn) await waitForTurn(tx, row, job.turn);
    if (row) return toJob(row);
    // Between the insert and this query, the existing job may end. In that case the next insert succeeds.
    const live = await tx.selectFrom("jobs").selectAll().where("dedupeKey", "=", job.dedupeKey!)
      .where("state", "in", ["queued", "running"]).executeTakeFirst();
    if (live) return toJob(live);
  }
}

export async function findJob(rows: RowQueries, id: string): Promise<Job | null> {
  const row = await rows.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** Whether the job has ended. Locks the job's row, so that a running job cannot end before this transaction does. */
export async function hasJobEnded(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom("jobs").select("state").where("id", "=", id).forShare().executeTakeFirst();
  return !row || isFinalJobState(row.state);
}

/** Returns the job if it is visible to users, otherwise null. */
export async function findOperation(rows: RowQueries, id: string): Promise<Job | null> {
  const job = await findJob(rows, id);
  return job?.visible ? job : null;
}

/** Returns operations, newest first. Operations created at the same time are in queue order. */
export async function listOperations(rows: RowQueries, filter: OperationFilter): Promise<ListPage<Job>> {
  let query = rows.selectFrom("jobs").select(jobSummaryColumns).where("visible", "=", true);
  if (filter.federationId !== undefined) query = query.where("federationId", "=", filter.federationId);
  if (filter.spokeId !== undefined) query = query.where("spokeId", "=", filter.spokeId);
  if (filter.spokeIds) query = query.where(sql<boolean>`spoke_id = any(${filter.spokeIds}::text[])`);
  const page = await readPage(filter, (bounds) => {
    const last = sql`(select seq from jobs where id = ${bounds.beforeId})`;
    return addNewestFirstOrder(query, bounds, { id: "seq", last }).execute();
  }, (row) => [row.createdAt, row.id]);
  return withPageItems(page, page.items.map(toJob));
}

/**
 * Returns the current operation of each spoke: the running operation, or else the oldest queued operation. An operation
 * that is being cancelled is returned only if the spoke has no other operation.
 */
export async function readCurrentOperations(rows: RowQueries, spokeIds: readonly string[]): Promise<Map<string, Job>> {
  if (spokeIds.length === 0) return new Map();
  const found = await rows.selectFrom("jobs").select(jobSummaryColumns).distinctOn("spokeId")
    .where("visible", "=", true).where("state", "in", ["queued", "running"]).where("spokeId", "in", spokeIds)
    .orderBy("spokeId").orderBy(sql`cancel_requested_at is not null`).orderBy(sql`state = 'running'`, "desc")
    .orderBy("seq").execute();
  return new Map(found.map((row) => [row.spokeId!, toJob(row)]));
}

/** Returns the current operation of each hub. Operations on the hub's spokes do not count. */
export async function readCurrentHubOperations(
  rows: RowQueries,
  federationIds: readonly string[],
): Promise<Map<string, Job>> {
  if (federationIds.length === 0) return new Map();
  const found = await rows.selectFrom("jobs").select(jobSummaryColumns).distinctOn("federationId")
    .where("visible", "=", true).where("state", "in", ["queued", "running"])
    .where("federationId", "in", federationIds).where("spokeId", "is", null)
    .orderBy("federationId").orderBy(sql`cancel_requested_at is not null`).orderBy(sql`state = 'running'`, "desc")
    .orderBy("seq").execute();
  return new Map(found.map((row) => [row.federationId!, toJob(row)]));
}

/** Returns the spoke's queued and running operations, oldest first. */
export async function listLiveOperations(rows: RowQueries, spokeId: string): Promise<Job[]> {
  const found = await rows.selectFrom("jobs").select(jobSummaryColumns)
    .where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("state", "in", ["queued", "running"]).orderBy("seq").execute();
  return found.map(toJob);
}

/** Matches jobs that ended after the current site became ready. A spoke gets a new site if its cluster is lost. */
export const CURRENT_SITE_CONDITION = sql<SqlBool>`
  finished_at >= (select ready_at from spokes where spokes.id = jobs.spoke_id)`;

/** Returns the last failed operation of this kind on the spoke's current site. */
export async function findLastFailedOperation(rows: RowQueries, spokeId: string, kind: string): Promise<Job | null> {
  const row = await rows.selectFrom("jobs").select(jobSummaryColumns)
    .where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("kind", "=", kind).where("state", "=", "failed").where(CURRENT_SITE_CONDITION)
    .orderBy("createdAt", "desc").orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** Returns operations of these kinds that ended on the current site and were requested before `job`, newest first. */
export async function listEndedOperationsBefore(rows: RowQueries, job: Job, kinds: readonly string[]): Promise<Job[]> {
  const found = await rows.selectFrom("jobs").selectAll()
    .where("spokeId", "=", job.spokeId).where("visible", "=", true).where("kind", "in", kinds)
    .where("state", "in", ["succeeded", "failed", "cancelled"]).where(CURRENT_SITE_CONDITION).where("seq", "<", job.seq)
    .orderBy("seq", "desc").limit(100).execute(); // more than any user retries
  return found.map(toJob);
}

/** Cancels a queued job, or asks a running job to stop. Returns null if the job does not exist or has already ended. */
export async function requestJobCancellation(tx: Tx, id: string): Promise<Job | null> {
  const row = await tx.updateTable("jobs").set({
    state: sql<JobState>`case when state = 'queued' then 'cancelled' else state end`,
    finishedAt: sql<Date | null>`case when state = 'queued' then wheelwright_now() end`,
    cancelRequestedAt: sql<Date>`coalesce(cancel_requested_at, wheelwright_now())`,
    updatedAt: sql<Date>`wheelwright_now()`,
  }).where("id", "=", id).where("state", "in", ["queued", "running"]).returningAll().executeTakeFirst();
  if (!row) return null;
  tx.wakes.add(isFinalJobState(row.state) ? "jobs" : `job:${id}`);
  return toJob(row);
}

/** Cancels the spoke's queued and running operations before a removal. Returns these operations, oldest first. */
export async function cancelSpokeOperations(tx: Tx, spokeId: string): Promise<Job[]> {
  return await cancelAll(tx, await listLiveOperations(tx, spokeId));
}

/** Cancels the hub's own queued and running operations, but not those of its spokes. */
export async function cancelHubOperations(tx: Tx, federationId: string): Promise<Job[]> {
  const live = await tx.selectFrom("jobs").select("id").where("federationId", "=", federationId)
    .where("spokeId", "is", null).where("visible", "=", true).where("state", "in", ["queued", "running"])
    .orderBy("seq").execute();
  return await cancelAll(tx, live);
}

async function cancelAll(tx: Tx, live: readonly { readonly id: string }[]): Promise<Job[]> {
  const cancelled: Job[] = [];
  for (const { id } of live) {
    const job = await requestJobCancellation(tx, id);
    if (job) cancelled.push(job);
  }
  return cancelled;
}

/** Cancels queued jobs of recurring kinds that an older release created. Jobs with the current plan replace them. */
export async function cancelOutdatedJobs(tx: Tx, kinds: readonly JobKind[]): Promise<void> {
  for (const { kind, plan } of kinds) {
    await tx.updateTable("jobs")
      .set({ state: "cancelled", finishedAt: sql<Date>`wheelwright_now()`, updatedAt: sql<Date>`wheelwright_now()` })
      .where("kind", "=", kind).where("plan", "<", plan).where("visible", "=", false).where("state", "=", "queued")
      .where("dedupeKey", "is not", null).execute();
  }
}

export function toJob(row: JobRow): Job {
  return {
    id: row.id,
    seq: row.seq,
    kind: row.kind,
    visible: row.visible,
    lane: row.lane,
    federationId: row.federationId,
    spokeId: row.spokeId,
    state: row.state,
    runAt: row.runAt,
    attempt: row.attempt,
    timeLimit: Number(row.timeLimitMs),
    deadlineAt: row.deadlineAt,
    fence: row.fence,
    holder: row.holder,
    plan: row.plan,
    stepNames: row.stepNames,
    finishedSteps: row.finishedSteps,
    stepTimes: row.stepTimes,
    label: row.label,
    payload: row.payload,
    progress: row.progress,
    failure: row.failure as FailureReport | null,
    cancelRequestedAt: row.cancelRequestedAt,
    requester: {
      userId: row.requesterId,
      email: row.requesterEmail,
      ip: row.requesterIp,
      userAgent: row.requesterAgent,
      tokenPrefix: row.requesterToken,
    },
    trace: row.trace,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
  };
}
