/** Marks one notification as read. */
import { sql } from "kysely";
import type { Database, Tx } from "#lib/db/database.ts";
import { Fault } from "#lib/errors.ts";
import { holdMarks, markEvents, raiseThrough, type Through } from "#lib/notifications/marks.ts";
import { type Notification, type NotificationRow, toNotification } from "#lib/notifications/notification.ts";
import { belongs, objectsOf, type Reader } from "#lib/notifications/objects.ts";
import { isId } from "#lib/ids.ts";

/**
 * The notification as it is from now on; one that was read before stays as it was. Throws Fault missing for what the
 * reader is not notified of, whether or not there is such an event.
 */
export async function markRead(db: Database, reader: Reader, id: string): Promise<Notification> {
  if (!isId("evt", id)) throw missingNotification();
  return await db.transact(async (tx) => {
    await holdMarks(tx, reader.userId);
    const before = await findNotification(tx, reader, id);
    if (!before) throw missingNotification();
    if (before.read_at) return toNotification(before, reader);
    await markEvents(tx, reader.userId, sql`select 0 as place, id, at from audit_events where id = ${id}`);
    await raiseThrough(tx, reader.userId, await findReadCompletely(tx, reader, id));
    return toNotification((await findNotification(tx, reader, id))!, reader);
  });
}

async function findNotification(tx: Tx, reader: Reader, id: string): Promise<NotificationRow | undefined> {
  const seen = reader.role === "operator"
    ? sql`true`
    : sql`exists (select from (${objectsOf(reader)}) as object where ${belongs(reader)})`;
  const { rows: [row] } = await sql<NotificationRow>`
    select event.*, done.read_at from audit_events as event
    left join notification_reads as done on done.user_id = ${reader.userId} and done.event_id = event.id
    where event.id = ${id} and event.customer_visible and ${seen}`.execute(tx);
  return row;
}

/** The event's object, if nothing of it is unread any more: a search for the unread need not come back there. */
async function findReadCompletely(tx: Tx, reader: Reader, id: string): Promise<Through[]> {
  const { rows } = await sql<Through>`
    select object.about, object.federation_id as "federationId", object.spoke_id as "spokeId",
      object.last_at::text as through
    from (select * from audit_events where id = ${id}) as event, (${objectsOf(reader)}) as object
    where ${belongs(reader)} and object.visible_events = object.reads`.execute(tx);
  return rows;
}

function missingNotification(): Fault {
  return new Fault("missing", "notification_missing", "There is no such notification, or you have no access to it");
}
