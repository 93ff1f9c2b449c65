/**
 * Records a change: audit events, stream events and jobs, together, in the caller's transaction, so that none can
 * exist without the others.
 *
 * The head row of each hub concerned is locked here, and it must be the last thing that the transaction locks: a
 * transaction that holds a head commits next. That is why stream numbers have no gap and readers who follow "number >
 * last" miss nothing. Several hubs in one transaction are locked in the order of their ids. Events of no hub have a
 * lock that does for them what a head does; it is taken before any head, so that no two transactions wait for each
 * other. What is counted for spokes and people is locked before both, in the order of their ids.
 */
import { sql } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import { isVisibleKind } from "#lib/audit/kinds.ts";
import { type AuditEntry, insertAuditEvents } from "#lib/audit/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { insertEvents, type StreamEntry } from "#lib/events/store.ts";
import type { Job, NewJob } from "#lib/jobs/job.ts";
import { enqueue } from "#lib/jobs/store.ts";

export interface Change {
  readonly audit?: readonly AuditEntry[];
  readonly events?: readonly StreamEntry[];
  readonly jobs?: readonly NewJob[];
}

/** Call it last in the transaction. */
export async function record(tx: Tx, requester: Requester, change: Change): Promise<void> {
  const { audit = [], events = [], jobs = [] } = change;
  for (const job of jobs) await enqueue(tx, requester, job);
  // Asked at once: so they are done in this order, and cost one way to the server.
  await Promise.all([countVisible(tx, audit), countAudiences(tx, audit), writeEntries(tx, requester, audit, events)]);
}

async function writeEntries(
  tx: Tx,
  requester: Requester,
  audit: readonly AuditEntry[],
  events: readonly StreamEntry[],
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

/** The same for a new operation that the rest of the change names: `tell` is given the job as it was enqueued. */
export async function recordOperation(
  tx: Tx,
  requester: Requester,
  operation: NewJob,
  changeFor: (job: Job) => Change,
): Promise<Job> {
  const job = await enqueue(tx, requester, operation);
  await record(tx, requester, changeFor(job));
  return job;
}

function hubIdsOf(audit: readonly AuditEntry[], events: readonly StreamEntry[]): string[] {
  const ids = [...audit, ...events].flatMap((entry) => entry.federationId ?? []);
  return [...new Set(ids)].sort();
}

/** Keeps the count of customer-visible events of each spoke, so that counting the unread costs the same for ever. */
async function countVisible(tx: Tx, audit: readonly AuditEntry[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { kind, spokeId } of audit) {
    if (spokeId && isVisibleKind(kind)) counts.set(spokeId, (counts.get(spokeId) ?? 0) + 1);
  }
  await Promise.all(
    [...counts].sort().map(([id, count]) =>
      tx.updateTable("spokes").where("id", "=", id).set({ visibleEvents: sql`visible_events + ${count}` }).execute()
    ),
  );
}

/** The same for those who see an event because it decides what they asked for, by the hub and spoke that it is about. */
async function countAudiences(tx: Tx, audit: readonly AuditEntry[]): Promise<void> {
  const audiences = audit.filter(({ kind, audienceUserId }) => audienceUserId && isVisibleKind(kind))
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
 * Events that belong to no hub. Under their lock, which is held until the commit, `at` grows by at least 1 ms and in
 * commit order: sealing goes on after the last event that it saw, and would never come back for an earlier one.
 */
async function writeEventsWithoutHub(tx: Tx, requester: Requester, audit: readonly AuditEntry[]): Promise<void> {
  if (audit.length === 0) return;
  await sql`select pg_advisory_xact_lock(hashtextextended('wheelwright: events of no hub', 0))`.execute(tx);
  // A statement of its own: one that waited for the lock would not see what was committed meanwhile. Ordering by the
  // constant column too is what lets the index answer: "is null" does not count as a constant there.
  const { rows: [row] } = await sql<{ at: Date }>`
    select greatest(wheelwright_now(), (
      select at + interval '1 millisecond' from audit_events where federation_id is null
      order by federation_id, at desc limit 1
    )) as at`.execute(tx);
  const firstAt = row!.at.getTime();
  await insertAuditEvents(tx, requester, audit.map((entry, i) => ({ entry, at: new Date(firstAt + i) })));
  const visible = audit.filter((entry) => isVisibleKind(entry.kind)).length;
  if (visible === 0) return;
  const lastAt = new Date(firstAt + audit.length - 1);
  await tx.updateTable("loose_heads").set({ visibleEvents: sql`visible_events + ${visible}`, lastAt }).execute();
}

/** Takes the hub's head, and with it a number for each stream event and a millisecond of its own for each entry. */
async function writeHubEntries(
  tx: Tx,
  requester: Requester,
  federationId: string,
  audit: readonly AuditEntry[],
  events: readonly StreamEntry[],
): Promise<void> {
  const entries = audit.length + events.length;
  const visible = audit.filter((entry) => isVisibleKind(entry.kind)).length;
  const { rows: [head] } = await sql<{ number: string; lastAt: Date }>`
    insert into stream_heads as head (federation_id, number, last_at, visible_events)
    values (${federationId}, ${events.length}, wheelwright_now(), ${visible})
    on conflict (federation_id) do update set
      number = head.number + ${events.length},
      last_at = greatest(wheelwright_now(), head.last_at + ${entries} * interval '1 millisecond'),
      visible_events = head.visible_events + ${visible}
    returning number, last_at`.execute(tx);
  const firstAt = head!.lastAt.getTime() - entries + 1;
  const firstNumber = Number(head!.number) - events.length + 1;
  await Promise.all([
    insertAuditEvents(tx, requester, audit.map((entry, i) => ({ entry, at: new Date(firstAt + i) }))),
    insertEvents(
      tx,
      events.map((entry, i) => ({ entry, number: firstNumber + i, at: new Date(firstAt + audit.length + i) })),
    ),
  ]);
  if (events.length > 0) tx.wakes.add(`federation:${federationId}`);
}
