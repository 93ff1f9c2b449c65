/** Marks one notification as read. */
import { sql } from "kysely";
import type { Database, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type AccessRule, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { lockReadMarks } from "#lib/domains/members/history.ts";
import {
  addReadAuditEvent,
  advanceReadPositions,
  markEventsAsRead,
  type NotificationMarker,
  type ObjectReadPosition,
} from "#lib/domains/notifications/marks.ts";
import {
  isNotificationRead,
  type Notification,
  type NotificationRow,
  toNotification,
} from "#lib/domains/notifications/list.ts";
import {
  eventBelongsToObject,
  historyEndTime,
  type NotificationReader,
  selectNotificationObjects,
} from "#lib/domains/notifications/objects.ts";
import { mergeIntoReadRange } from "#lib/domains/notifications/read-ranges.ts";
import { isId } from "#lib/base/ids.ts";

/** Admits callers who can see the notification. The transaction that marks it as read checks this again. */
export const notificationAccess: AccessRule<Actor, object> = {
  name: "signed in", // any signed-in user can call it; notifications of other users are reported as missing
  async admit({ app, actor: caller, params: { notificationId = "" } }) {
    const actor = requireActor(caller);
    const found = isId("evt", notificationId) && await findNotification(app.db.rows, actor, notificationId);
    if (!found) throw notificationMissingFault();
    return { actor };
  },
};

/** Marks a notification as read and returns it. Throws a `missing` fault if the caller cannot see the notification. */
export async function markNotificationAsRead(
  db: Database,
  reader: NotificationMarker,
  id: string,
): Promise<Notification> {
  if (!isId("evt", id)) throw notificationMissingFault();
  return await db.transact(async (tx) => {
    await lockReadMarks(tx, reader.userId);
    const before = await findNotification(tx, reader, id);
    if (!before) throw notificationMissingFault();
    if (isNotificationRead(before)) return toNotification(before, reader);
    await markEventsAsRead(tx, reader.userId, sql`select 0 as place, id, at from audit_events where id = ${id}`);
    const readObjects = await findFullyReadObject(tx, reader, id);
    if (readObjects.length === 0) await mergeIntoReadRange(tx, reader, id);
    await advanceReadPositions(tx, reader.userId, readObjects);
    await addReadAuditEvent(tx, reader, 1);
    return toNotification((await findNotification(tx, reader, id))!, reader);
  });
}

async function findNotification(
  tx: RowQueries,
  reader: NotificationReader,
  id: string,
): Promise<NotificationRow | undefined> {
  const isVisible = reader.role === "operator"
    ? sql`true`
    : sql`exists (select from (${selectNotificationObjects(reader)}) as object where ${eventBelongsToObject(reader)})`;
  const { rows: [row] } = await sql<NotificationRow>`
    select event.*, done.read_at, event.at <= ${historyEndTime(reader)} as skipped from audit_events as event
    left join notification_reads as done on done.user_id = ${reader.userId} and done.event_id = event.id
    where event.id = ${id} and event.customer_visible and ${isVisible}`.execute(tx);
  return row;
}

/** Returns a list with the event's object, or an empty list if the object has other unread events. */
async function findFullyReadObject(tx: Tx, reader: NotificationReader, id: string): Promise<ObjectReadPosition[]> {
  const { rows } = await sql<ObjectReadPosition>`
    select object.about, object.federation_id as "federationId", object.spoke_id as "spokeId",
      object.last_at::text as through
    from (select * from audit_events where id = ${id}) as event, (${selectNotificationObjects(reader)}) as object
    where ${eventBelongsToObject(reader)} and object.visible_events = object.reads`.execute(tx);
  return rows;
}

function notificationMissingFault(): Fault {
  return new Fault("missing", "notification_missing", "There is no such notification, or you have no access to it");
}
