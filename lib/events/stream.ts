/**
 * One reader's stream of a hub's events: replay, then live, without a gap between the two.
 *
 * The stream is a loop: ask whether the caller still may, send the events after the last one sent, wait for something
 * to look at. The reader pulls, so a slow client slows its own loop and nothing else.
 */
import type { Database } from "#lib/db/database.ts";
import type { Feeds } from "#lib/events/feed.ts";
import { readBounds, readEvents, readLatest, type StreamData, type StreamEvent } from "#lib/events/store.ts";
import { SECOND } from "#lib/time.ts";

/** What goes over the wire: an event, a comment that keeps proxies open, or the time to wait before reconnecting. */
export type Frame =
  | { readonly id: string; readonly event: string; readonly data: StreamData }
  | { readonly comment: string }
  | { readonly retry: number };

/** What the caller may see of the hub: everything, or the events of these spokes alone. */
export type Sight = "all" | ReadonlySet<string>;

export interface Following {
  readonly federationId: string;
  /** The last event that the client has; null to begin with the present state of everything. */
  readonly since: number | null;
  /** Asked at each turn: what the caller may see now, or null when it may follow this hub no longer. */
  readonly sight: () => Promise<Sight | null>;
  readonly signal: AbortSignal;
}

const COMMENT_EVERY = 15 * SECOND;
const PAGE = 500;

export async function* followHub(db: Database, feeds: Feeds, following: Following): AsyncGenerator<Frame> {
  const { federationId, signal, sight } = following;
  const feed = await feeds.join(federationId);
  try {
    yield { comment: "following" };
    const bounds = await readBounds(db.rows, federationId);
    // A reader that comes from another replica may know more than this one's feed does yet; no reason to begin anew.
    let sent = Math.max(feed.last(), Math.min(following.since ?? 0, bounds.last));
    for await (const events of beginning(db, following, { last: sent, prunedThrough: bounds.prunedThrough })) {
      const seen = await sight();
      if (!seen || signal.aborted) return;
      yield* frames(events, seen);
    }
    while (!signal.aborted && !feed.closing()) {
      const asked = Date.now();
      await feed.wait(sent, COMMENT_EVERY, signal);
      const seen = await sight();
      if (!seen) return;
      const events = feed.after(sent) ?? await readEvents(db.rows, federationId, sent, PAGE);
      yield* frames(events, seen);
      sent = events.at(-1)?.number ?? sent;
      if (events.length === 0 && Date.now() - asked >= COMMENT_EVERY - SECOND) yield { comment: "still here" };
    }
    if (feed.closing()) yield { retry: reconnectAfter() };
  } finally {
    feed.leave();
  }
}

/** What stands before the live part, page by page: all up to and including event number `last`. */
async function* beginning(
  db: Database,
  { federationId, since }: Following,
  { last, prunedThrough }: { readonly last: number; readonly prunedThrough: number },
): AsyncGenerator<StreamEvent[]> {
  if (since === null) return yield await readLatest(db.rows, federationId, last);
  // Otherwise what the client saw last is pruned, or of another life of this database: it must begin anew.
  const whole = since >= prunedThrough && since <= last;
  if (!whole) yield [await reset(db, federationId, prunedThrough)];
  for (let from = whole ? since : 0; from < last;) {
    const page = (await readEvents(db.rows, federationId, from, PAGE)).filter((event) => event.number <= last);
    if (page.length === 0) return;
    yield page;
    from = page.at(-1)!.number;
  }
}

async function reset(db: Database, federationId: string, number: number): Promise<StreamEvent> {
  const { state } = await db.rows.selectFrom("federations").select("state").where("id", "=", federationId)
    .executeTakeFirstOrThrow();
  const at = (await db.now()).toISOString();
  const data = { id: String(number), type: "StreamReset", at, federationId, state };
  return { number, type: "StreamReset", spokeId: null, data };
}

function sees(sight: Sight, event: StreamEvent): boolean {
  return sight === "all" || event.type === "StreamReset" || (event.spokeId !== null && sight.has(event.spokeId));
}

function* frames(events: readonly StreamEvent[], sight: Sight): Generator<Frame> {
  for (const event of events) {
    if (sees(sight, event)) yield { id: String(event.number), event: event.type, data: event.data };
  }
}

/** Milliseconds; by chance between 1 and 4 s, so that not all readers of a replica come back at once. */
function reconnectAfter(): number {
  return Math.round(SECOND + Math.random() * 3 * SECOND);
}
