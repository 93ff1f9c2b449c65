/** Deletes old rows from the database. docs/operating.md lists the rules, and the rows that are never deleted. */
import { type RawBuilder, sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

/** How many of a hub's newest stream events are kept, whatever their age. */
const MIN_EVENTS = 1000;
const BATCH = 1000;

/**
 * Returns an SQL expression for the time `age` ago. Because of the subquery, PostgreSQL reads the clock only once and
 * can use an index.
 */
const before = (age: string) => sql`(select wheelwright_now()) - ${sql.lit(age)}::interval`;

/**
 * An SQL condition that is true if a later operation on the same spoke or hub exists. The last operation is always
 * kept, because it explains the current state of the spoke or hub.
 */
const isFollowed = sql`case when spoke_id is null
  then exists (select from jobs as later where later.federation_id = jobs.federation_id and later.spoke_id is null
    and later.visible and (later.created_at, later.seq) > (jobs.created_at, jobs.seq))
  else exists (select from jobs as later where later.spoke_id = jobs.spoke_id
    and later.visible and (later.created_at, later.seq) > (jobs.created_at, jobs.seq)) end`;

/** The rows that each step deletes: a description for the step's label, the table, and the SQL condition. */
const PRUNE_RULES = {
  keys: ["old idempotency keys", "idempotency_keys", sql`created_at < ${before("24 hours")}`],
  sessions: [
    "ended sessions",
    "sessions",
    sql`ended_at < ${before("1 day")} or created_at < ${before("30 days")} and last_used_at < ${before("30 days")}`,
  ],
  pendingSignIns: ["unfinished sign-ins", "pending_sign_ins", sql`created_at < ${before("1 day")}`],
  challenges: ["expired passkey challenges", "passkey_challenges", sql`created_at < ${before("1 hour")}`],
  signIns: ["old sign-ins at providers", "sign_in_requests", sql`created_at < ${before("10 minutes")}`],
  links: ["expired links", "one_time_tokens", sql`expires_at < ${before("30 days")}`],
  jobs: ["finished jobs of the service", "jobs", sql`not visible and finished_at < ${before("7 days")}`],
  operations: ["old operations", "jobs", sql`visible and finished_at < ${before("400 days")} and ${isFollowed}`],
  // Deletes only records of nightly backups that succeeded. Records of failed and manual backups are kept.
  backups: [
    "records of deleted nightly backups",
    "backups",
    sql`state = 'deleted' and kind = 'nightly' and ready_at is not null and deleted_at < ${before("90 days")}`,
  ],
  // Deletes ready lanes (queues to poll) that have been ready for 7 days and have no queued job.
  lanes: [
    "unused ready lanes",
    "ready_lanes",
    sql`at < ${before("7 days")} and not exists (select from jobs
    where jobs.lane = ready_lanes.lane and state = 'queued')`,
  ],
  calls: ["old API call counts", "token_calls", sql`day < ((select wheelwright_now()) at time zone 'UTC')::date - 31`],
  billing: ["old events of the payment provider", "billing_events", sql`received_at < ${before("90 days")}`],
} as const;

export function pruneOldRows({ db }: Pick<App, "db">): JobHandler {
  const deleteRows = (table: string, condition: RawBuilder<unknown>) => (run: JobRun) =>
    deleteInBatches(run, () =>
      sql`delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${BATCH}))`.execute(db.rows));
  const ruleSteps = Object.entries(PRUNE_RULES).map(([step, [what, table, condition]]) =>
    [step, [`Removing ${what}`, 10 * MINUTE, deleteRows(table, condition)]] as const
  );
  return upkeepHandler({ kind: "prune", every: HOUR }, {
    events: ["Removing old stream events", 10 * MINUTE, (run) => pruneEvents(db, run)],
    ...Object.fromEntries(ruleSteps),
    replicas: ["Removing stopped replicas", MINUTE, async (run) => {
      run.throwIfStopped();
      await sql`delete from replicas where heartbeat_at < ${before("1 day")}
        and not exists (select from jobs where holder = replicas.id and state = 'running')`.execute(db.rows);
    }],
  });
}

/**
 * Deletes stream events that are older than 7 days. Keeps the newest thousand events of each hub, and the latest event
 * of each spoke, because new clients start with it. First stores in the hub's head row which events it deletes.
 */
async function pruneEvents(db: Database, run: JobRun): Promise<void> {
  const { rows: hubs } = await sql<{ id: string; through: string }>`
    select federation_id as id, (
      select max(event.number) from stream_events as event
      where event.federation_id = head.federation_id and event.number <= head.number - ${MIN_EVENTS}
        and event.at < ${before("7 days")}
    ) as through
    from stream_heads as head where number > pruned_through + ${MIN_EVENTS}`.execute(db.rows);
  for (const { id, through } of hubs.filter((hub) => hub.through !== null)) {
    run.throwIfStopped();
    await sql`update stream_heads set pruned_through = greatest(pruned_through, ${through}::bigint)
      where federation_id = ${id}`.execute(db.rows);
    await deleteInBatches(run, () =>
      sql`delete from stream_events where federation_id = ${id} and number = any(array(
        select event.number from stream_events as event
        where event.federation_id = ${id} and event.number <= ${through}::bigint
          and exists (select from stream_events as later where later.federation_id = event.federation_id
            and later.number > event.number and later.spoke_id is not distinct from event.spoke_id)
        limit ${BATCH}))`.execute(db.rows));
  }
}

/** Deletes rows in small batches, so that locks are short. Before each batch, throws if the run must stop. */
async function deleteInBatches(
  run: JobRun,
  remove: () => Promise<{ readonly numAffectedRows?: bigint | undefined }>,
): Promise<void> {
  for (let removed = BATCH; removed >= BATCH;) {
    run.throwIfStopped();
    removed = Number((await remove()).numAffectedRows ?? 0);
  }
}
