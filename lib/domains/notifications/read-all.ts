/**
 * Marks all notifications as read that are visible when it starts.
 *
 * It notes how far each object's events go at that moment (none can come before that later: lib/changes gives times
 * that grow in the order of the commits), and marks them oldest first in batches, each a transaction of its own. It steps
 * over the stretches of what was read one by one, so what it costs follows from what is unread. A call
 * that is cut off between two leaves exact counts, and the next one goes on where this one stopped. So each batch that has
 * changed anything writes its own event, and together they tell the whole.
 */
import { type RawBuilder, sql } from "kysely";
import type { Database, Rows, Tx } from "#lib/drivers/db/database.ts";
import { holdMarks } from "#lib/domains/members/history.ts";
import {
  type Marker,
  markEvents,
  mayMarkAll,
  noteRead,
  raiseThrough,
  type Through,
} from "#lib/domains/notifications/marks.ts";
import { objectsOf, type Reader } from "#lib/domains/notifications/objects.ts";
import { restOf } from "#lib/domains/notifications/stretches.ts";
import { backoff, sleep } from "#lib/base/time.ts";

/** Events that a batch reads of one object, and unread ones of all its objects, about. */
const BATCH = 2000;
/** Objects that one batch is about. */
const OBJECTS = 200;

/** What is still to be marked of an object: its events after `after`, up to `through`. */
interface Rest extends Through {
  readonly after: string;
  readonly unread: number;
}

/** Returns how many became read by this call. */
export async function markAllRead(db: Database, reader: Marker): Promise<{ marked: number }> {
  let marked = 0, waits = 0;
  let rest = await findUnread(db.rows, reader);
  while (rest.length > 0) {
    const size = packSize(rest);
    const done = await db.transact((tx) => markBatch(tx, reader, rest.slice(0, size)));
    if (!done) {
      await sleep(backoff(++waits, 20, 200));
      continue;
    }
    marked += done.marked;
    rest = [...done.rest, ...rest.slice(size)];
  }
  return { marked };
}

async function findUnread(rows: Rows, reader: Reader): Promise<Rest[]> {
  const { rows: found } = await sql<Omit<Rest, "unread"> & { unread: string }>`
    select about, federation_id as "federationId", spoke_id as "spokeId", last_at::text as through,
      read_through::text as after, visible_events - reads as unread
    from (${objectsOf(reader)}) as object where visible_events > reads`.execute(rows);
  return found.map((row) => ({ ...row, unread: Number(row.unread) }));
}

/** As many objects as have a batch of unread events together; one that has more comes alone. */
function packSize(rest: readonly Rest[]): number {
  let size = 0;
  for (let unread = 0; size < Math.min(rest.length, OBJECTS); size++) {
    unread += rest[size]!.unread;
    if (size > 0 && unread > BATCH) break;
  }
  return size;
}

/** Returns what is still to be marked of these objects; null if somebody else is marking, and nothing was done. */
async function markBatch(
  tx: Tx,
  reader: Marker,
  pack: readonly Rest[],
): Promise<{ marked: number; rest: Rest[] } | null> {
  if (!await mayMarkAll(tx, reader.userId)) return null;
  await holdMarks(tx, reader.userId);
  const results = await markEvents(tx, reader.userId, eventsOfPack(reader, pack));
  const found = new Map(results.map((result) => [result.place, result]));
  const reached: Through[] = [], rest: Rest[] = [];
  for (const [i, object] of pack.entries()) {
    const result = found.get(i + 1);
    if (!result || result.found < BATCH) {
      reached.push(object);
      continue;
    }
    reached.push({ ...object, through: result.last });
    rest.push({ ...object, after: result.last, unread: Math.max(1, object.unread - result.marked) });
  }
  await raiseThrough(tx, reader.userId, reached);
  const marked = results.reduce((sum, { marked }) => sum + marked, 0);
  await noteRead(tx, reader, marked);
  return { marked, rest };
}

function eventsOfPack(reader: Reader, pack: readonly Rest[]): RawBuilder<unknown> {
  return sql`
    select object.place, event.id, event.at from unnest(
      ${pack.map(({ about }) => about)}::text[],
      ${pack.map(({ federationId }) => federationId)}::text[],
      ${pack.map(({ spokeId }) => spokeId)}::text[],
      ${pack.map(({ after }) => after)}::timestamptz[],
      ${pack.map(({ through }) => through)}::timestamptz[]
    ) with ordinality as object (about, federation_id, spoke_id, after, through, place)
    cross join lateral (${restOf(reader, BATCH)}) as event`;
}
