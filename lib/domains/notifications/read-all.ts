/**
 * Marks as read all notifications that are visible when the call starts. Each batch, oldest events first, is one
 * transaction with one audit event. After an interrupted call, the counts are exact and the next call continues.
 */
import { type RawBuilder, sql } from "kysely";
import type { Database, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { lockReadMarks } from "#lib/domains/members/history.ts";
import {
  addReadAuditEvent,
  advanceReadPositions,
  markEventsAsRead,
  type NotificationMarker,
  type ObjectReadPosition,
  tryLockMarkAll,
} from "#lib/domains/notifications/marks.ts";
import { type NotificationReader, selectNotificationObjects } from "#lib/domains/notifications/objects.ts";
import { selectEventsToMark } from "#lib/domains/notifications/read-ranges.ts";
import { backoffDelay, sleep } from "#lib/base/time.ts";

/** The maximum number of events per object in a batch, and the approximate maximum of all unread events in a batch. */
const BATCH_SIZE = 2000;
/** The maximum number of objects (such as hubs and spokes) per batch. */
const MAX_OBJECTS = 200;

/** An object with events to mark as read: events later than `after`, up to and including `through`. */
interface RemainingObject extends ObjectReadPosition {
  readonly after: string;
  readonly unread: number;
}

/** Marks all the reader's notifications as read. Returns the number of notifications that were unread. */
export async function markAllNotificationsAsRead(
  db: Database,
  reader: NotificationMarker,
): Promise<{ marked: number }> {
  let marked = 0, waits = 0;
  let remaining = await findUnread(db.rows, reader);
  while (remaining.length > 0) {
    const size = batchLength(remaining);
    const result = await db.transact((tx) => markBatch(tx, reader, remaining.slice(0, size)));
    if (!result) {
      await sleep(backoffDelay(++waits, 20, 200));
      continue;
    }
    marked += result.marked;
    remaining = [...result.rest, ...remaining.slice(size)];
  }
  return { marked };
}

async function findUnread(rows: RowQueries, reader: NotificationReader): Promise<RemainingObject[]> {
  const { rows: found } = await sql<Omit<RemainingObject, "unread"> & { unread: string }>`
    select about, federation_id as "federationId", spoke_id as "spokeId", last_at::text as through,
      read_through::text as after, visible_events - reads as unread
    from (${selectNotificationObjects(reader)}) as object where visible_events > reads`.execute(rows);
  return found.map((row) => ({ ...row, unread: Number(row.unread) }));
}

/** Returns the number of objects in the next batch. An object with many unread events gets a separate batch. */
function batchLength(remaining: readonly RemainingObject[]): number {
  let size = 0;
  for (let unread = 0; size < Math.min(remaining.length, MAX_OBJECTS); size++) {
    unread += remaining[size]!.unread;
    if (size > 0 && unread > BATCH_SIZE) break;
  }
  return size;
}

/** Marks a batch as read. Returns the objects with events left to mark, or null if another transaction has the lock. */
async function markBatch(
  tx: Tx,
  reader: NotificationMarker,
  batch: readonly RemainingObject[],
): Promise<{ marked: number; rest: RemainingObject[] } | null> {
  if (!await tryLockMarkAll(tx, reader.userId)) return null;
  await lockReadMarks(tx, reader.userId);
  const results = await markEventsAsRead(tx, reader.userId, selectBatchEvents(reader, batch));
  const found = new Map(results.map((result) => [result.place, result]));
  const positions: ObjectReadPosition[] = [], remaining: RemainingObject[] = [];
  for (const [i, object] of batch.entries()) {
    const result = found.get(i + 1);
    if (!result || result.found < BATCH_SIZE) {
      positions.push(object);
      continue;
    }
    positions.push({ ...object, through: result.last });
    remaining.push({ ...object, after: result.last, unread: Math.max(1, object.unread - result.marked) });
  }
  await advanceReadPositions(tx, reader.userId, positions);
  const marked = results.reduce((sum, { marked }) => sum + marked, 0);
  await addReadAuditEvent(tx, reader, marked);
  return { marked, rest: remaining };
}

function selectBatchEvents(reader: NotificationReader, batch: readonly RemainingObject[]): RawBuilder<unknown> {
  return sql`
    select object.place, event.id, event.at from unnest(
      ${batch.map(({ about }) => about)}::text[],
      ${batch.map(({ federationId }) => federationId)}::text[],
      ${batch.map(({ spokeId }) => spokeId)}::text[],
      ${batch.map(({ after }) => after)}::timestamptz[],
      ${batch.map(({ through }) => through)}::timestamptz[]
    ) with ordinality as object (about, federation_id, spoke_id, after, through, place)
    cross join lateral (${selectEventsToMark(reader, BATCH_SIZE)}) as event`;
}
