/**
 * Writes audit events, stream events and jobs in the caller's transaction, so that all of them are stored or none.
 *
 * To prevent deadlocks, every transaction takes its locks in this order: the counters of spokes and users, the lock for
 * events without a hub, then each hub's head row (event counter). Each group is sorted by ID. A hub's head row must be
 * the last lock before the commit. Stream numbers then have no gaps, so readers can query "number > last". At the commit,
 * a trigger changes the hub's counts in `live_hubs`, which only the holder of the head row does.
 */
import { sql } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import { isVisibleToCustomers } from "#lib/audit/kinds.ts";
import { type AuditEntry, insertAuditEvents } from "#lib/audit/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import { insertStreamEvents, type NewStreamEvent, streamEventTypeOf } from "#lib/events/store.ts";
import type { Job, JobProgress, NewJob } from "#lib/jobs/job.ts";
import { buildJobRow, insertJobRow } from "#lib/jobs/insert.ts";
import { enqueueJob, toJob } from "#lib/jobs/store.ts";
import { enqueueWebhookJobs, hasActiveWebhook } from "#lib/jobs/webhook.ts";

export interface AuditedChange {
  readonly audit?: readonly AuditEntry[];
  readonly events?: readonly NewStreamEvent[];
  readonly jobs?: readonly NewJob[];
}

/** An operation to enqueue. */
type NewOperation = Omit<NewJob, "dedupeKey">;

/** Writes a change and its audit events. Must be the last call in the transaction. */
export async function recordChange(tx: Tx, requester: Requester, change: AuditedChange): Promise<void> {
  const { audit = [], events = [], jobs = [] } = change;
  for (const job of jobs) await enqueueJob(tx, requester, job);
  // Sends all statements together, in one round trip. The server runs the statements in this order.
  await Promise.all([countVisible(tx, audit), countAudiences(tx, audit), writeEntries(tx, requester, audit, events)]);
}

async function writeEntries(
  tx: Tx,
  requester: Requester,
  audit: readonly AuditEntry[],
  events: readonly NewStreamEvent[],
): Promise<void> {
  await writeEventsWithoutHub(tx, requester, audit.filter((entry) => !entry.federationId));
  for (const federationId of hubIdsOf(audit, events)) {
    await writeHubEntries(
      tx,
      requester,
      federationId,
      audit.filter((entry) => entry.federationId === federationId),
      events.filter((entry) => entry.federationId === federationId),
    );
  }
}

/** Enqueues an operation, and records the change that `changeFor` returns for it. */
export async function recordOperation(
  tx: Tx,
  requester: Requester,
  operation: NewOperation,
  changeFor: (job: JobProgress) => AuditedChange,
): Promise<Job> {
  if (operation.turn) {
    const job = await enqueueJob(tx, requester, operation); // the lock for turns comes before the hub's head row
    await recordChange(tx, requester, changeFor(job));
    return job;
  }
  const { enqueued, recorded } = startOperation(tx, requester, operation, changeFor);
  const [job] = await Promise.all([enqueued, recorded]);
  return job;
}

/**
 * Does the same as `recordOperation`, but returns the enqueued job as soon as it is stored. Sends the statements that do
 * not depend on each other together. The caller must wait for both promises.
 */
export function startOperation(
  tx: Tx,
  requester: Requester,
  operation: NewOperation,
  changeFor: (job: JobProgress) => AuditedChange,
): { readonly enqueued: Promise<Job>; readonly recorded: Promise<void> } {
  const row = buildJobRow(requester, operation), { id, kind, stepNames, label } = row;
  tx.wakes.add("jobs");
  return {
    enqueued: insertJobRow(tx, row).then(([stored]) => toJob(stored!)),
    recorded: recordChange(
      tx,
      requester,
      changeFor({ id, kind, state: "queued", stepNames, finishedSteps: [], label, attempt: 0 }),
    ),
  };
}

function hubIdsOf(audit: readonly AuditEntry[], events: readonly NewStreamEvent[]): string[] {
  const ids = [...audit, ...events].flatMap((entry) => entry.federationId ?? []);
  return [...new Set(ids)].sort();
}

/** Increments each spoke's counter of customer-visible events, so that unread events need not be counted one by one. */
async function countVisible(tx: Tx, audit: readonly AuditEntry[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { kind, spokeId } of audit) {
    if (spokeId && isVisibleToCustomers(kind)) counts.set(spokeId, (counts.get(spokeId) ?? 0) + 1);
  }
  await Promise.all(
    [...counts].sort().map(([id, count]) =>
      tx.updateTable("spokes").where("id", "=", id).set({ visibleEvents: sql`visible_events + ${count}` }).execute()
    ),
  );
}

/** For each event that decides on a user's request, increments that user's event counter for the hub or spoke. */
async function countAudiences(tx: Tx, audit: readonly AuditEntry[]): Promise<void> {
  const audiences = audit.filter(({ kind, audienceUserId }) => audienceUserId && isVisibleToCustomers(kind))
    .map(({ audienceUserId, federationId, spokeId }) => [audienceUserId!, federationId ?? "", spokeId ?? ""] as const);
  await Promise.all(
    audiences.sort().map(([userId, federationId, spokeId]) =>
      tx.insertInto("notification_audiences").values({ userId, federationId, spokeId, visibleEvents: 1 })
        .onConflict((conflict) =>
          conflict.columns(["userId", "federationId", "spokeId"])
            .doUpdateSet({ visibleEvents: sql`notification_audiences.visible_events + 1` })
        ).execute()
    ),
  );
}

/**
 * Writes audit events that belong to no hub. An advisory lock is held until the commit, so the `at` values of these
 * events increase in commit order. Sealing (hashing the audit log) would miss an event with an earlier `at`.
 */
async function writeEventsWithoutHub(tx: Tx, requester: Requester, audit: readonly AuditEntry[]): Promise<void> {
  if (audit.length === 0) return;
  await sql`select pg_advisory_xact_lock(hashtextextended('wheelwright: events of no hub', 0))`.execute(tx);
  // Uses a separate statement, because a statement that waited for the lock would not see rows committed during the
  // wait. `order by` includes the constant column so that PostgreSQL uses the index.
  const { rows: [row] } = await sql<{ at: Date }>`
    select greatest(wheelwright_now(), (
      select at + interval '1 millisecond' from audit_events where federation_id is null
      order by federation_id, at desc limit 1
    )) as at`.execute(tx);
  const firstAt = row!.at.getTime();
  await insertAuditEvents(tx, requester, audit.map((entry, i) => ({ entry, at: new Date(firstAt + i) })));
  const visible = audit.filter((entry) => isVisibleToCustomers(entry.kind)).length;
  if (visible === 0) return;
  const lastAt = new Date(firstAt + audit.length - 1);
  await tx.updateTable("service_event_head").set({ visibleEvents: sql`visible_events + ${visible}`, lastAt }).execute();
}

interface HeadIncrements {
  readonly federationId: string;
  readonly events: number;
  readonly entries: number;
  readonly visible: number;
}

const advanceHead = prepareQuery((_, { federationId, events, entries, visible }: HeadIncrements) =>
  sql<{ number: string; lastAt: Date; hasWebhook: boolean }>`
    insert into stream_heads as head (federation_id, number, last_at, visible_events)
    values (${federationId}, ${events}, wheelwright_now(), ${visible})
    on conflict (federation_id) do update set
      number = head.number + excluded.number,
      last_at = greatest(wheelwright_now(), head.last_at + ${entries} * interval '1 millisecond'),
      visible_events = head.visible_events + excluded.visible_events
    returning number, last_at, ${hasActiveWebhook(federationId)} as has_webhook`
);

/** Locks the hub's head row, numbers the stream events, and gives each audit event a different millisecond. */
async function writeHubEntries(
  tx: Tx,
  requester: Requester,
  federationId: string,
  audit: readonly AuditEntry[],
  events: readonly NewStreamEvent[],
): Promise<void> {
  const entries = audit.length + events.length;
  const visible = audit.filter((entry) => isVisibleToCustomers(entry.kind)).length;
  const [head] = await advanceHead(tx, { federationId, events: events.length, entries, visible });
  const firstAt = head!.lastAt.getTime() - entries + 1;
  const firstNumber = Number(head!.number) - events.length + 1;
  await Promise.all([
    insertAuditEvents(tx, requester, audit.map((entry, i) => ({ entry, at: new Date(firstAt + i) }))),
    insertStreamEvents(
      tx,
      events.map((entry, i) => ({ entry, number: firstNumber + i, at: new Date(firstAt + audit.length + i) })),
    ),
  ]);
  if (events.length === 0) return;
  tx.wakes.add(`federation:${federationId}`);
  if (head!.hasWebhook) await enqueueWebhookJobs(tx, federationId, events.map(streamEventTypeOf));
}
