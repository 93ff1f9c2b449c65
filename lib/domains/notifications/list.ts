/**
 * Lists notifications, newest first, without ever walking the log.
 *
 * The newest events of many objects can only be in those objects whose own newest event is among the newest: one look
 * at each object finds these, and a page is taken from them alone. So a page costs one look for each object and no
 * more for a longer history. The inner queries keep ties, because objects and events of one time have no order yet; the
 * page itself ends after its limit, or with its last time.
 *
 * For unread ones, objects that the counts show to be read are left out, and within the others the search ends at
 * `read_through` and steps over the stretches of what was read one by one (stretches.ts). So it walks over next to
 * nothing in vain.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";
import { comesAfter, type ListPage, type PageBounds, readPageByTime, withItems } from "#lib/drivers/db/pages.ts";
import { countUnread } from "#lib/domains/notifications/count.ts";
import { type Notification, type NotificationRow, toNotification } from "#lib/domains/notifications/notification.ts";
import { objectsOf, type Reader, walkEvents } from "#lib/domains/notifications/objects.ts";
import { selectUnread } from "#lib/domains/notifications/stretches.ts";
import { historyEnd, isUnread } from "#lib/domains/notifications/unread.ts";
import type { NotificationQuery } from "#lib/domains/notifications/views.ts";

/** How many of the newest events an operator's search for unread ones looks through before it asks each hub. */
const SCAN_SIZE = 500;

export async function listNotifications(
  rows: Rows,
  reader: Reader,
  query: NotificationQuery,
): Promise<ListPage<Notification>> {
  const page = await readPageByTime(query, (bounds) => readRows(rows, reader, query, bounds), ({ at, id }) => [at, id]);
  return withItems(page, page.items.map((row) => toNotification(row, reader)));
}

async function readRows(
  rows: Rows,
  reader: Reader,
  { unreadOnly, limit }: NotificationQuery,
  bounds: PageBounds,
): Promise<NotificationRow[]> {
  const pageSize = bounds.maxRows ?? limit;
  const earlier = comesAfter(bounds, sql`event.at`, sql`event.id`);
  const walk = { unreadOnly, limit: pageSize };
  if (reader.role !== "operator") {
    return await readEvents(rows, reader, selectFromObjects(reader, walk, earlier), pageSize);
  }
  const newest = (size: number) =>
    sql`select event.* from audit_events as event where event.customer_visible and ${earlier}
      order by event.at desc fetch first ${size} rows with ties`;
  if (!unreadOnly) return await readEvents(rows, reader, newest(pageSize), pageSize);
  const { count } = await countUnread(rows, reader);
  if (count === 0) return [];
  // When many are unread, the newest nearly always are. Only else is it worth asking each of thousands of hubs.
  const recent = count < pageSize ? [] : await readEvents(
    rows,
    reader,
    sql`select * from (${newest(SCAN_SIZE)}) as event where ${isUnread(reader)}`,
    pageSize,
  );
  return recent.length >= pageSize
    ? recent
    : await readEvents(rows, reader, selectFromObjects(reader, walk, earlier), pageSize);
}

/** The newest events of those objects that can have one on the page. */
function selectFromObjects(
  reader: Reader,
  { limit, unreadOnly }: Pick<NotificationQuery, "limit" | "unreadOnly">,
  earlier: RawBuilder<SqlBool>,
): RawBuilder<unknown> {
  const hasEvents = unreadOnly ? sql`visible_events > reads` : sql`visible_events > 0`;
  const events = (size: number) =>
    unreadOnly
      ? selectUnread(reader, earlier, size)
      : walkEvents(reader, { where: earlier, order: "newest first", limit: size });
  return sql`
    with object as materialized (select * from (${objectsOf(reader)}) as object where ${hasEvents}),
    promising as materialized (
      select object.* from object cross join lateral (select max(at) as at from (${events(1)}) as event) as newest
      where newest.at is not null order by newest.at desc fetch first ${limit} rows with ties
    )
    select event.id, event.at from promising as object cross join lateral (${events(limit)}) as event`;
}

async function readEvents(
  rows: Rows,
  reader: Reader,
  events: RawBuilder<unknown>,
  limit: number,
): Promise<NotificationRow[]> {
  // "offset 0" keeps each look at an event a look at one: the planner knows neither how few there are, nor how many not.
  const { rows: found } = await sql<NotificationRow>`
    select event.*, (select read_at from notification_reads as done
      where done.user_id = ${reader.userId} and done.event_id = page.id) as read_at, event.at <= ${
    historyEnd(reader)
  } as skipped
    from (select id, at from (${events}) as event order by at desc, id desc limit ${limit}) as page
    cross join lateral (select * from audit_events where id = page.id offset 0) as event
    order by page.at desc, page.id desc`.execute(rows);
  return found;
}
