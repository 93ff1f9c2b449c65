/**
 * Lists notifications, newest first, without scanning the audit log. A notification is an audit event with a mark that
 * says whether the user has read it; there is no separate table. One index lookup per hub or spoke finds the newest
 * event; the page is read from the hubs and spokes with the newest events. Lists of unread notifications skip hubs and
 * spokes without unread events, and ranges of read events (see read-ranges.ts).
 */
import { type RawBuilder, type Selectable, sql, type SqlBool } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import {
  buildCursorCondition,
  type ListPage,
  type PageBounds,
  readPageByTime,
  withPageItems,
} from "#lib/drivers/db/pages.ts";
import {
  buildUnreadEventCondition,
  countUnreadNotifications,
  historyEndTime,
  type NotificationReader,
  selectEventsOfObject,
  selectNotificationObjects,
} from "#lib/domains/notifications/objects.ts";
import { selectUnreadEvents } from "#lib/domains/notifications/read-ranges.ts";
import type { NotificationQuery } from "#lib/domains/notifications/views.ts";
import { type AuditEvent, redactAuditEvent, toAuditEvent } from "#lib/audit/store.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";

/** How many of the newest events to check for unread ones before falling back to a query per hub. */
const SCAN_SIZE = 500;

export async function listNotifications(
  rows: RowQueries,
  reader: NotificationReader,
  query: NotificationQuery,
): Promise<ListPage<Notification>> {
  const page = await readPageByTime(query, (bounds) => readRows(rows, reader, query, bounds), ({ at, id }) => [at, id]);
  return withPageItems(page, page.items.map((row) => toNotification(row, reader)));
}

async function readRows(
  rows: RowQueries,
  reader: NotificationReader,
  { unreadOnly, limit }: NotificationQuery,
  bounds: PageBounds,
): Promise<NotificationRow[]> {
  const pageSize = bounds.maxRows ?? limit;
  const earlier = buildCursorCondition(bounds, sql`event.at`, sql`event.id`);
  const walk = { unreadOnly, limit: pageSize };
  if (reader.role !== "operator") {
    return await readEvents(rows, reader, selectFromObjects(reader, walk, earlier), pageSize);
  }
  const newest = (size: number) =>
    sql`select event.* from audit_events as event where event.customer_visible and ${earlier}
      order by event.at desc fetch first ${size} rows with ties`;
  if (!unreadOnly) return await readEvents(rows, reader, newest(pageSize), pageSize);
  const { count } = await countUnreadNotifications(rows, reader);
  if (count === 0) return [];
  // Searches the newest events first, which is faster than querying each hub if many events are unread.
  const recent = count < pageSize ? [] : await readEvents(
    rows,
    reader,
    sql`select * from (${newest(SCAN_SIZE)}) as event where ${buildUnreadEventCondition(reader)}`,
    pageSize,
  );
  return recent.length >= pageSize
    ? recent
    : await readEvents(rows, reader, selectFromObjects(reader, walk, earlier), pageSize);
}

/** Selects the newest events of the hubs and spokes that may have events on the page. */
function selectFromObjects(
  reader: NotificationReader,
  { limit, unreadOnly }: Pick<NotificationQuery, "limit" | "unreadOnly">,
  earlier: RawBuilder<SqlBool>,
): RawBuilder<unknown> {
  const hasEvents = unreadOnly ? sql`visible_events > reads` : sql`visible_events > 0`;
  const events = (size: number) =>
    unreadOnly
      ? selectUnreadEvents(reader, earlier, size)
      : selectEventsOfObject(reader, { where: earlier, order: "newest first", limit: size });
  return sql`
    with object as materialized (select * from (${selectNotificationObjects(reader)}) as object where ${hasEvents}),
    promising as materialized (
      select object.* from object cross join lateral (select max(at) as at from (${events(1)}) as event) as newest
      where newest.at is not null order by newest.at desc fetch first ${limit} rows with ties
    )
    select event.id, event.at from promising as object cross join lateral (${events(limit)}) as event`;
}

async function readEvents(
  rows: RowQueries,
  reader: NotificationReader,
  events: RawBuilder<unknown>,
  limit: number,
): Promise<NotificationRow[]> {
  // "offset 0" forces one index lookup per event. Otherwise, the planner misestimates the number of events.
  const { rows: found } = await sql<NotificationRow>`
    select event.*, (select read_at from notification_reads as done
      where done.user_id = ${reader.userId} and done.event_id = page.id) as read_at, event.at <= ${
    historyEndTime(reader)
  } as skipped
    from (select id, at from (${events}) as event order by at desc, id desc limit ${limit}) as page
    cross join lateral (select * from audit_events where id = page.id offset 0) as event
    order by page.at desc, page.id desc`.execute(rows);
  return found;
}

export interface Notification extends AuditEvent {
  readonly read: boolean;
  readonly readAt: Date | null;
}

export type NotificationRow = Selectable<Schema["audit_events"]> & {
  readonly readAt: Date | null;
  /** Whether the event is older than the reader's membership and therefore counts as read. */
  readonly skipped: boolean;
};

export function toNotification(row: NotificationRow, reader: NotificationReader): Notification {
  return { ...redactAuditEvent(reader, toAuditEvent(row)), read: isNotificationRead(row), readAt: row.readAt };
}

export function isNotificationRead({ readAt, skipped }: NotificationRow): boolean {
  return readAt !== null || skipped;
}
