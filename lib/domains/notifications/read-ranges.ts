/**
 * Stores time ranges in which a reader has read all events about an object. Adjacent ranges are merged. A search for
 * unread events skips these ranges, so the cost of a search depends only on the number of events found.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Tx } from "#lib/drivers/db/database.ts";
import {
  buildUnreadEventCondition,
  eventBelongsToObject,
  type NotificationReader,
  selectEventsOfObject,
  selectNotificationObjects,
} from "#lib/domains/notifications/objects.ts";

/** Selects the last read range of `object` that starts before the given moment. */
function selectRangeBefore({ userId }: NotificationReader, moment: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select range.from_at, range.through_at from notification_read_ranges as range
    where range.user_id = ${userId} and range.about = object.about
      and range.federation_id = object.federation_id and range.spoke_id = object.spoke_id
      and range.from_at < ${moment} order by range.from_at desc limit 1)`;
}

/** Selects the newest unread events about `object` that match `where`. Can return more than `limit` events. */
export function selectUnreadEvents(
  reader: NotificationReader,
  where: RawBuilder<SqlBool>,
  limit: number,
): RawBuilder<unknown> {
  const between = (low: RawBuilder<unknown>, high: RawBuilder<unknown>) => {
    const within = sql<SqlBool>`${where} and event.at > object.read_through and event.at > coalesce(${low}, '-infinity')
      and event.at < ${high} and ${buildUnreadEventCondition(reader)}`;
    return sql`(select coalesce(array_agg(id), '{}') as ids, coalesce(array_agg(at), '{}') as ats
      from (${selectEventsOfObject(reader, { where: within, order: "newest first", limit })}) as event)`;
  };
  return sql`
    with recursive gap (next, ids, ats, found) as (
      select below.from_at, events.ids, events.ats, cardinality(events.ids)
      from (select 1) as one left join lateral ${selectRangeBefore(reader, sql`'infinity'`)} as below on true
      cross join lateral ${between(sql`below.through_at`, sql`'infinity'`)} as events
      union all
      select below.from_at, events.ids, events.ats, gap.found + cardinality(events.ids)
      from gap left join lateral ${selectRangeBefore(reader, sql`gap.next`)} as below on true
      cross join lateral ${between(sql`below.through_at`, sql`gap.next`)} as events
      where gap.next > object.read_through and gap.found < ${limit}
    )
    select event.id, event.at from gap cross join lateral unnest(gap.ids, gap.ats) as event (id, at)`;
}

/**
 * Selects the oldest events about `object` that are later than `object.after`, no later than `object.through`, and not
 * in a read range. Can return more than `limit` events, and events that are already marked as read one by one.
 */
export function selectEventsToMark(reader: NotificationReader, limit: number): RawBuilder<unknown> {
  const above = (moment: RawBuilder<unknown>) =>
    sql`(select range.from_at, range.through_at from notification_read_ranges as range
      where range.user_id = ${reader.userId} and range.about = object.about
        and range.federation_id = object.federation_id and range.spoke_id = object.spoke_id
        and range.from_at > ${moment} order by range.from_at limit 1)`;
  const between = (low: RawBuilder<unknown>, high: RawBuilder<unknown>) => {
    const where = sql<SqlBool>`event.at > ${low} and event.at < coalesce(${high}, 'infinity')
      and event.at <= object.through`;
    return sql`(select coalesce(array_agg(id), '{}') as ids, coalesce(array_agg(at), '{}') as ats
      from (${selectEventsOfObject(reader, { where, order: "oldest first", limit })}) as event)`;
  };
  return sql`
    with recursive gap (next, ids, ats, found) as (
      select greatest(object.after, (select through_at
        from ${selectRangeBefore(reader, sql`object.after + interval '1 millisecond'`)} as below)), '{}'::text[],
        '{}'::timestamptz[], 0
      union all
      select above.through_at, events.ids, events.ats, gap.found + cardinality(events.ids)
      from gap left join lateral ${above(sql`gap.next`)} as above on true
      cross join lateral ${between(sql`gap.next`, sql`above.from_at`)} as events
      where gap.next < object.through and gap.found < ${limit}
    )
    select event.id, event.at from gap cross join lateral unnest(gap.ids, gap.ats) as event (id, at)`;
}

/** Merges an event that was just marked as read with adjacent read events into one read range. */
export async function mergeIntoReadRange(tx: Tx, reader: NotificationReader, id: string): Promise<void> {
  const walkNeighbours = (order: "newest first" | "oldest first") => {
    const where = order === "newest first" ? sql<SqlBool>`event.at < marked.at` : sql<SqlBool>`event.at > marked.at`;
    return selectEventsOfObject(reader, { where, order, limit: 1 });
  };
  const unreadAtSameTime = selectEventsOfObject(reader, {
    where: sql`event.at >= coalesce(older.at, marked.at) and event.at <= coalesce(newer.at, marked.at)
      and ${buildUnreadEventCondition(reader)}`,
    order: "oldest first",
    limit: SAME_TIME_LIMIT,
  });
  const { rows: [found] } = await sql<ReadRange>`
    select object.about, object.federation_id, object.spoke_id,
      case when older.at = any(unread) then marked.at else coalesce((
        select from_at from ${selectRangeBefore(reader, sql`marked.at`)} as below where through_at >= older.at
      ), older.at, marked.at) end::text as from_at,
      case when newer.at = any(unread) then marked.at else coalesce((
        select through_at from ${selectRangeBefore(reader, sql`newer.at + interval '1 millisecond'`)} as above
        where through_at >= newer.at
      ), newer.at, marked.at) end::text as through_at
    from (select * from audit_events where id = ${id}) as marked
    join lateral (select * from (${selectNotificationObjects(reader)}) as object) as object on ${
    eventBelongsToObject(reader, sql.table("marked"))
  }
    cross join lateral (select max(at) as at from (${walkNeighbours("newest first")}) as event) as older
    cross join lateral (select min(at) as at from (${walkNeighbours("oldest first")}) as event) as newer
    cross join lateral (select coalesce(array_agg(at), '{}') as unread from (${unreadAtSameTime}) as event) as sides
    where marked.at <> all(unread)`.execute(tx);
  if (!found || found.fromAt === found.throughAt) return;
  const { about, federationId, spokeId, fromAt, throughAt } = found;
  await sql`delete from notification_read_ranges where user_id = ${reader.userId} and about = ${about}
    and federation_id = ${federationId} and spoke_id = ${spokeId}
    and from_at between ${fromAt}::timestamptz and ${throughAt}::timestamptz`.execute(tx);
  await sql`insert into notification_read_ranges values (${reader.userId}, ${about}, ${federationId}, ${spokeId},
    ${fromAt}::timestamptz, ${throughAt}::timestamptz)`.execute(tx);
}

/** The maximum number of events with equal times to check. Usually, lib/changes gives each event a unique time. */
const SAME_TIME_LIMIT = 100;

interface ReadRange {
  readonly about: string;
  readonly federationId: string;
  readonly spokeId: string;
  /** The time of the first event in the range, in PostgreSQL's text format. */
  readonly fromAt: string;
  readonly throughAt: string;
}
