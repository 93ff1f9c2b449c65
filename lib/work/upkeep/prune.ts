/**
 * Removes what nobody needs any more: old stream events, kept answers, ended sessions, links, replicas, unseen jobs,
 * counts of calls, and what the payment provider told.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Events of a hub that are kept whatever their age. */
const KEPT_EVENTS = 1000;
const BATCH = 1000;

const PRUNE: JobKind = {
  kind: "prune",
  plan: 4,
  visible: false,
  steps: [
    { name: "events", label: "Removing old stream events", timeout: 10 * MINUTE },
    { name: "keys", label: "Removing old idempotency keys", timeout: 10 * MINUTE },
    { name: "sessions", label: "Removing ended sessions", timeout: 10 * MINUTE },
    { name: "links", label: "Removing links that expired long ago", timeout: 10 * MINUTE },
    { name: "jobs", label: "Removing what maintenance left in the queue", timeout: 10 * MINUTE },
    { name: "calls", label: "Removing old counts of calls", timeout: 10 * MINUTE },
    { name: "billing", label: "Removing old events of the payment provider", timeout: 10 * MINUTE },
    { name: "replicas", label: "Removing replicas that are gone", timeout: MINUTE },
  ],
  timeLimit: HOUR,
  repeatEvery: HOUR,
};

export function prune({ db }: Pick<App, "db">): Handler {
  return {
    kind: PRUNE,
    steps: {
      events: (run) => pruneEvents(db, run),
      keys: (run) =>
        inBatches(run, () =>
          sql`delete from idempotency_keys where ctid = any(array(
            select ctid from idempotency_keys where created_at < wheelwright_now() - interval '24 hours'
            limit ${BATCH}))`.execute(db.rows)),
      sessions: (run) =>
        inBatches(run, () =>
          sql`delete from sessions where ctid = any(array(
            select ctid from sessions where ended_at < wheelwright_now() - interval '1 day'
              or seen_at < wheelwright_now() - interval '30 days'
            limit ${BATCH}))`.execute(db.rows)),
      links: (run) =>
        inBatches(run, () =>
          sql`delete from one_time_tokens where ctid = any(array(
            select ctid from one_time_tokens where expires_at < wheelwright_now() - interval '30 days'
            limit ${BATCH}))`.execute(db.rows)),
      jobs: (run) =>
        inBatches(run, () =>
          sql`delete from jobs where ctid = any(array(
            select ctid from jobs where not visible and finished_at < wheelwright_now() - interval '7 days'
            limit ${BATCH}))`.execute(db.rows)),
      calls: (run) =>
        inBatches(run, () =>
          sql`delete from token_calls where ctid = any(array(
            select ctid from token_calls where day < (wheelwright_now() at time zone 'UTC')::date - 31
            limit ${BATCH}))`.execute(db.rows)),
      billing: (run) =>
        inBatches(run, () =>
          sql`delete from billing_events where ctid = any(array(
            select ctid from billing_events where received_at < wheelwright_now() - interval '90 days'
            limit ${BATCH}))`.execute(db.rows)),
      replicas: (run) =>
        inBatches(run, () =>
          sql`delete from replicas where beat_at < wheelwright_now() - interval '1 day'
            and not exists (select from jobs where holder = replicas.id)`.execute(db.rows), 0),
    },
  };
}

/**
 * Events over 7 days old go, but for the newest thousand of the hub and the latest of each thing that still lives, with
 * which a new reader begins. The head remembers how far pruning came, before anything is missing.
 */
async function pruneEvents(db: Database, run: Run): Promise<void> {
  const { rows: hubs } = await sql<{ id: string; through: string }>`
    select federation_id as id, (
      select max(event.number) from stream_events as event
      where event.federation_id = head.federation_id and event.number <= head.number - ${KEPT_EVENTS}
        and event.at < wheelwright_now() - interval '7 days'
    ) as through
    from stream_heads as head where number > pruned_through + ${KEPT_EVENTS}`.execute(db.rows);
  for (const { id, through } of hubs.filter((hub) => hub.through !== null)) {
    run.check();
    await sql`update stream_heads set pruned_through = greatest(pruned_through, ${through}::bigint)
      where federation_id = ${id}`.execute(db.rows);
    await inBatches(run, () =>
      sql`delete from stream_events where federation_id = ${id} and number = any(array(
        select event.number from stream_events as event
        where event.federation_id = ${id} and event.number <= ${through}::bigint
          and exists (select from stream_events as later where later.federation_id = event.federation_id
            and later.number > event.number and later.spoke_id is not distinct from event.spoke_id)
        limit ${BATCH}))`.execute(db.rows));
  }
}

/** Small deletions, so that none holds its rows for long; the run is asked before each. */
async function inBatches(
  run: Run,
  remove: () => Promise<{ readonly numAffectedRows?: bigint | undefined }>,
  most = BATCH,
): Promise<void> {
  for (let removed = most; removed >= most;) {
    run.check();
    removed = Number((await remove()).numAffectedRows ?? 0);
    if (most === 0) return;
  }
}
