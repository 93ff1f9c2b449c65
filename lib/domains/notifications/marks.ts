/**
 * Marks events as read and updates the counts of read events in one statement. Callers first call `lockReadMarks`, so
 * that no event is counted twice and transactions do not deadlock.
 */
import { type RawBuilder, sql } from "kysely";
import type { Requester } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { NotificationObjectKind, NotificationReader } from "#lib/domains/notifications/objects.ts";

/** Tries to take the user's lock for marking all events as read. Returns false, without waiting, if it is taken. */
export async function tryLockMarkAll(tx: Tx, userId: string): Promise<boolean> {
  const { rows: [row] } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`wheelwright: all marks of ${userId}`}, 0)) as free`.execute(
    tx,
  );
  return row!.free;
}

/**
 * Marks events as read. `events` is a query for visible events with the columns `place` (group number), `id` and `at`.
 * Returns for each group the number of events, the number of events that were unread, and the last event's time.
 */
export async function markEventsAsRead(
  tx: Tx,
  userId: string,
  events: RawBuilder<unknown>,
): Promise<MarkAsReadResult[]> {
  const { rows } = await sql<{ place: string; found: string; marked: string; last: string }>`
    with event as materialized (${events}),
    skip as materialized (
      select federation_id, spoke_id, skip_through from notification_read_counts
      where user_id = ${userId} and about in ('hub', 'spoke') and skip_through > '-infinity'
    ), unread as materialized (
      select id from event where not (select exists (select from skip)) or at > coalesce((
        select skip_through from (
          select coalesce(federation_id, '') as hub, coalesce(spoke_id, '') as spoke from audit_events
          where id = event.id offset 0
        ) as place join skip on skip.spoke_id = spoke and skip.federation_id = case when spoke = '' then hub else '' end
      ), '-infinity')
    ), fresh as (
      insert into notification_reads (user_id, event_id, read_at)
      select ${userId}, id, (select wheelwright_now()) from unread on conflict do nothing returning event_id
    ), counted as (
      insert into notification_read_counts as count (user_id, about, federation_id, spoke_id, reads)
      select ${userId}, object.about, object.federation_id, object.spoke_id, count(*)
      from fresh cross join lateral (
        select coalesce(federation_id, ''), coalesce(spoke_id, ''), audience_user_id from audit_events
        where id = fresh.event_id offset 0
      ) as event (hub, spoke, audience) cross join lateral (values
        ('all', '', '', true),
        ('service', '', '', hub = ''),
        ('hub', hub, '', hub <> ''),
        ('spoke', '', spoke, spoke <> ''),
        ('audience', hub, spoke, audience = ${userId})
      ) as object (about, federation_id, spoke_id, counts)
      where object.counts group by object.about, object.federation_id, object.spoke_id
      on conflict (user_id, about, federation_id, spoke_id) do update set reads = count.reads + excluded.reads
    )
    select event.place, count(*) as found, count(fresh.event_id) as marked, max(event.at)::text as last
    from event left join fresh on fresh.event_id = event.id group by event.place`.execute(tx);
  return rows.map(({ place, found, marked, last }) => ({
    place: Number(place),
    found: Number(found),
    marked: Number(marked),
    last,
  }));
}

export interface MarkAsReadResult {
  readonly place: number;
  readonly found: number;
  readonly marked: number;
  /** The time of the last event, in PostgreSQL's text format. */
  readonly last: string;
}

export interface ObjectReadPosition {
  readonly about: NotificationObjectKind;
  readonly federationId: string;
  readonly spokeId: string;
  /** The time up to which the user has read all events about the object, in PostgreSQL's text format. */
  readonly through: string;
}

/** Moves each object's `read_through` time forward, and deletes read ranges that end before this time. */
export async function advanceReadPositions(
  tx: Tx,
  userId: string,
  objects: readonly ObjectReadPosition[],
): Promise<void> {
  if (objects.length === 0) return;
  for (const { about, federationId, spokeId, through } of objects) {
    await sql`delete from notification_read_ranges where user_id = ${userId} and about = ${about}
      and federation_id = ${federationId} and spoke_id = ${spokeId} and through_at <= ${through}::timestamptz`.execute(
      tx,
    );
  }
  await sql`
    insert into notification_read_counts as count (user_id, about, federation_id, spoke_id, read_through)
    select ${userId}, * from unnest(
      ${objects.map(({ about }) => about)}::text[],
      ${objects.map(({ federationId }) => federationId)}::text[],
      ${objects.map(({ spokeId }) => spokeId)}::text[],
      ${objects.map(({ through }) => through)}::timestamptz[]
    )
    on conflict (user_id, about, federation_id, spoke_id)
    do update set read_through = greatest(count.read_through, excluded.read_through)`.execute(tx);
}

export type NotificationMarker = NotificationReader & Requester;

/** Records an audit event with the number of notifications that were marked as read. Does nothing if `marked` is 0. */
export async function addReadAuditEvent(tx: Tx, reader: NotificationMarker, marked: number): Promise<void> {
  if (marked === 0) return;
  await recordChange(tx, reader, {
    audit: [{ kind: "notifications_read", objectType: "user", objectId: reader.userId, metadata: { marked } }],
  });
}
