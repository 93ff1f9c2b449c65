/**
 * Lists notifications, newest first, without ever walking the log.
 *
 * The newest events of many objects can only be in those objects whose own newest event is among the newest: one look
 * at each object finds these, and a page is taken from them alone. So a page costs one look for each object and no
 * more for a longer history. All pages keep ties: a page may run past its limit by the events that share the last
 * one's time, because the caller goes on before that time.
 *
 * For unread ones, objects that the counts show to be read are left out, and within the others the search ends at
 * `read_through` and steps over the stretches of what was read one by one (stretches.ts). So it walks over next to
 * nothing in vain.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";
import { countUnread } from "#lib/domains/notifications/count.ts";
import { type Notification, type NotificationRow, toNotification } from "#lib/domains/notifications/notification.ts";
import { objectsOf, type Reader, walkEvents } from "#lib/domains/notifications/objects.ts";
import { unreadOf } from "#lib/domains/notifications/stretches.ts";
import { isUnread, skippedThrough } from "#lib/domains/notifications/unread.ts";
import type { NotificationQuery } from "#lib/domains/notifications/views.ts";

/** How many of the newest events an operator's search for unread ones looks through before it asks each hub. */
const GLANCE = 500;

export async function listNotifications(rows: Rows, reader: Reader, query: NotificationQuery): Promise<Notification[]> {
  const { limit, unreadOnly } = query;
  const earlier = query.before ? sql<SqlBool>`event.at < ${query.before}` : sql<SqlBool>`true`;
  if (reader.role !== "operator") return await readPage(rows, reader, fromObjects(reader, query, earlier), limit);
  const newest = (size: number) =>
    sql`select event.* from audit_events as event where event.customer_visible and ${earlier}
      order by event.at desc fetch first ${size} rows with ties`;
  if (!unreadOnly) return await readPage(rows, reader, newest(limit), limit);
  const { count } = await countUnread(rows, reader);
  if (count === 0) return [];
  // When many are unread, the newest nearly always are. Only else is it worth asking each of thousands of hubs.
  const seen = count < limit
    ? []
    : await readPage(rows, reader, sql`select * from (${newest(GLANCE)}) as event where ${isUnread(reader)}`, limit);
  return seen.length >= limit ? seen : await readPage(rows, reader, fromObjects(reader, query, earlier), limit);
}

/** The newest events of those objects that can have one on the page. */
function fromObjects(
  reader: Reader,
  { limit, unreadOnly }: NotificationQuery,
  earlier: RawBuilder<SqlBool>,
): RawBuilder<unknown> {
  const worth = unreadOnly ? sql`visible_events > reads` : sql`visible_events > 0`;
  const events = (size: number) =>
    unreadOnly
      ? unreadOf(reader, earlier, size)
      : walkEvents(reader, { where: earlier, order: "newest first", limit: size });
  return sql`
    with object as materialized (select * from (${objectsOf(reader)}) as object where ${worth}),
    promising as materialized (
      select object.* from object cross join lateral (select max(at) as at from (${events(1)}) as event) as newest
      where newest.at is not null order by newest.at desc fetch first ${limit} rows with ties
    )
    select event.id, event.at from promising as object cross join lateral (${events(limit)}) as event`;
}

async function readPage(
  rows: Rows,
  reader: Reader,
  events: RawBuilder<unknown>,
  limit: number,
): Promise<Notification[]> {
  // "offset 0" keeps each look at an event a look at one: the planner knows neither how few there are, nor how many not.
  const { rows: found } = await sql<NotificationRow>`
    select event.*, (select read_at from notification_reads as done
      where done.user_id = ${reader.userId} and done.event_id = page.id) as read_at, event.at <= ${
    skippedThrough(reader)
  } as skipped
    from (select id, at from (${events}) as event order by at desc fetch first ${limit} rows with ties) as page
    cross join lateral (select * from audit_events where id = page.id offset 0) as event
    order by page.at desc, page.id desc`.execute(rows);
  return found.map((row) => toNotification(row, reader));
}
