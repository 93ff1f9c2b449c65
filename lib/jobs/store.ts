/** The rows of the queue, for those that enqueue, show or call off a job. Running them: lib/scheduler. */
import { type Selectable, sql, type SqlBool } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, newestFirst, readPage, withItems } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { currentTrace } from "#lib/base/work-context.ts";
import { newId } from "#lib/base/ids.ts";
import { summaryColumns } from "#lib/jobs/summary-columns.ts";
import { type FailureReport, isFinished, type Job, type JobState, type NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";

export type JobRow = Selectable<Schema["jobs"]>;

/** What an operation belongs to, and which page of the history is asked for. */
interface OperationFilter extends ListPageRequest {
  readonly federationId?: string;
  readonly spokeId?: string;
  /** Of these spokes alone. */
  readonly spokeIds?: readonly string[];
}

const WAITING_LABEL = "Waiting to start";

/** Adds the job; if a queued or running job has its dedupe key, that job is returned and nothing is added. */
export async function enqueue(tx: Tx, requester: Requester, job: NewJob): Promise<Job> {
  tx.wakes.add("jobs");
  for (;;) {
    const row = await insertJob(tx, requester, job);
    if (row) return toJob(row);
    // The live one may end between the two statements; then the next insert succeeds.
    const live = await tx.selectFrom("jobs").selectAll().where("dedupeKey", "=", job.dedupeKey!)
      .where("state", "in", ["queued", "running"]).executeTakeFirst();
    if (live) return toJob(live);
  }
}

function insertJob(tx: Tx, requester: Requester, job: NewJob): Promise<JobRow | undefined> {
  const { kind } = job;
  return tx.insertInto("jobs").values({
    id: newId("op"),
    kind: kind.kind,
    visible: kind.visible,
    lane: job.lane,
    federationId: job.federationId,
    spokeId: job.spokeId,
    runAt: job.runAt ?? sql<Date>`wheelwright_now()`,
    timeLimitMs: kind.timeLimit,
    plan: kind.plan,
    stepNames: kind.steps.map((step) => step.name),
    label: WAITING_LABEL,
    payload: JSON.stringify(job.payload ?? {}),
    dedupeKey: job.dedupeKey ?? null,
    askerId: requester.userId,
    askerEmail: requester.email,
    askerIp: requester.ip,
    askerAgent: requester.userAgent,
    askerToken: requester.tokenPrefix,
    trace: kind.repeatEvery === undefined ? currentTrace() : null, // else one trace would go on for ever
  }).onConflict((conflict) =>
    conflict.column("dedupeKey").where("state", "in", [sql.lit<"queued">("queued"), sql.lit<"running">("running")])
      .doNothing()
  ).returningAll().executeTakeFirst();
}

export async function findJob(rows: Rows, id: string): Promise<Job | null> {
  const row = await rows.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** Whether it has. Until the transaction ends, one that has not does not. */
export async function hasJobEnded(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom("jobs").select("state").where("id", "=", id).forShare().executeTakeFirst();
  return !row || isFinished(row.state);
}

/** The same for what people can see: an operation, or null. */
export async function findOperation(rows: Rows, id: string): Promise<Job | null> {
  const job = await findJob(rows, id);
  return job?.visible ? job : null;
}

/** Newest first; those of one time in the order in which they were queued. */
export async function listOperations(rows: Rows, filter: OperationFilter): Promise<ListPage<Job>> {
  let query = rows.selectFrom("jobs").select(summaryColumns).where("visible", "=", true);
  if (filter.federationId !== undefined) query = query.where("federationId", "=", filter.federationId);
  if (filter.spokeId !== undefined) query = query.where("spokeId", "=", filter.spokeId);
  if (filter.spokeIds) query = query.where(sql<boolean>`spoke_id = any(${filter.spokeIds}::text[])`);
  const page = await readPage(filter, (bounds) => {
    const last = sql`(select seq from jobs where id = ${bounds.beforeId})`;
    return newestFirst(query, bounds, { id: "seq", last }).execute();
  }, (row) => [row.createdAt, row.id]);
  return withItems(page, page.items.map(toJob));
}

/**
 * The operation that each spoke shows as its present one: the running one, else the oldest queued, and one that was called
 * off only where there is no other. Spokes without one are not in the map.
 */
export async function readCurrentOperations(rows: Rows, spokeIds: readonly string[]): Promise<Map<string, Job>> {
  if (spokeIds.length === 0) return new Map();
  const found = await rows.selectFrom("jobs").select(summaryColumns).distinctOn("spokeId")
    .where("visible", "=", true).where("state", "in", ["queued", "running"]).where("spokeId", "in", spokeIds)
    .orderBy("spokeId").orderBy(sql`cancel_requested_at is not null`).orderBy(sql`state = 'running'`, "desc")
    .orderBy("seq").execute();
  return new Map(found.map((row) => [row.spokeId!, toJob(row)]));
}

/** The same for hubs: of their own operations, not of their spokes'. */
export async function readCurrentHubOperations(
  rows: Rows,
  federationIds: readonly string[],
): Promise<Map<string, Job>> {
  if (federationIds.length === 0) return new Map();
  const found = await rows.selectFrom("jobs").select(summaryColumns).distinctOn("federationId")
    .where("visible", "=", true).where("state", "in", ["queued", "running"])
    .where("federationId", "in", federationIds).where("spokeId", "is", null)
    .orderBy("federationId").orderBy(sql`cancel_requested_at is not null`).orderBy(sql`state = 'running'`, "desc")
    .orderBy("seq").execute();
  return new Map(found.map((row) => [row.federationId!, toJob(row)]));
}

/** Live operations of one spoke, oldest first: what an action has to queue behind, or what forbids it. */
export async function listLiveOperations(rows: Rows, spokeId: string): Promise<Job[]> {
  const found = await rows.selectFrom("jobs").select(summaryColumns)
    .where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("state", "in", ["queued", "running"]).orderBy("seq").execute();
  return found.map(toJob);
}

/** What has ended since the spoke's site was ready: one whose cluster was lost gets another site, and is ready anew. */
export const ON_CURRENT_SITE = sql<SqlBool>`
  finished_at >= (select ready_at from spokes where spokes.id = jobs.spoke_id)`;

/** The operation of this kind that failed last at a spoke's site, if any did. */
export async function findLastFailure(rows: Rows, spokeId: string, kind: string): Promise<Job | null> {
  const row = await rows.selectFrom("jobs").select(summaryColumns)
    .where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("kind", "=", kind).where("state", "=", "failed").where(ON_CURRENT_SITE)
    .orderBy("createdAt", "desc").orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** Operations of these kinds at the same spoke's site that had ended when this one was asked for, newest first. */
export async function listEndedBefore(rows: Rows, job: Job, kinds: readonly string[]): Promise<Job[]> {
  const found = await rows.selectFrom("jobs").selectAll()
    .where("spokeId", "=", job.spokeId).where("visible", "=", true).where("kind", "in", kinds)
    .where("state", "in", ["succeeded", "failed", "cancelled"]).where(ON_CURRENT_SITE).where("seq", "<", job.seq)
    .orderBy("seq", "desc").limit(100).execute(); // more than anybody tries again and again
  return found.map(toJob);
}

/**
 * Calls the job off: a queued one is cancelled here and now, a running one is told to stop, and its holder cancels it.
 * Returns it is then; null if none exists, or if it has ended by itself.
 */
export async function requestCancel(tx: Tx, id: string): Promise<Job | null> {
  const row = await tx.updateTable("jobs").set({
    state: sql<JobState>`case when state = 'queued' then 'cancelled' else state end`,
    finishedAt: sql<Date | null>`case when state = 'queued' then wheelwright_now() end`,
    cancelRequestedAt: sql<Date>`coalesce(cancel_requested_at, wheelwright_now())`,
    updatedAt: sql<Date>`wheelwright_now()`,
  }).where("id", "=", id).where("state", "in", ["queued", "running"]).returningAll().executeTakeFirst();
  if (!row) return null;
  tx.wakes.add(isFinished(row.state) ? "jobs" : `job:${id}`);
  return toJob(row);
}

/** Calls off whatever is live for a spoke, because it is going to be removed. The result is oldest first. */
export async function cancelSpokeOperations(tx: Tx, spokeId: string): Promise<Job[]> {
  return await cancelAll(tx, await listLiveOperations(tx, spokeId));
}

/** The same for a hub: its own operations, not its spokes'. */
export async function cancelHubOperations(tx: Tx, federationId: string): Promise<Job[]> {
  const live = await tx.selectFrom("jobs").select("id").where("federationId", "=", federationId)
    .where("spokeId", "is", null).where("visible", "=", true).where("state", "in", ["queued", "running"])
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
export async function cancelOlderPlans(tx: Tx, kinds: readonly JobKind[]): Promise<void> {
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
    stepsDone: row.stepsDone,
    stepEnds: row.stepEnds,
    label: row.label,
    payload: row.payload,
    progress: row.progress,
    failure: row.failure as FailureReport | null,
    cancelRequestedAt: row.cancelRequestedAt,
    requester: {
      userId: row.askerId,
      email: row.askerEmail,
      ip: row.askerIp,
      userAgent: row.askerAgent,
      tokenPrefix: row.askerToken,
    },
    trace: row.trace,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
  };
}
