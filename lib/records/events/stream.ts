/**
 * One reader's stream of a hub's events: replay, then live, without a gap between the two.
 *
 * The stream is a loop: send the events after the last one sent, each under a decision of what the reader may see, and
 * wait for more. The reader pulls, so a slow client slows its own loop and nothing else. While the database cannot
 * answer, the stream waits, and says now and then that it is still there. It ends with the hub: what comes last is
 * `StreamEnd`.
 */
import { sql } from "kysely";
import type { Feed, FeedPage, Feeds } from "#lib/records/events/feed.ts";
import type { StreamSight } from "#lib/records/events/looks.ts";
import type { StreamReader } from "#lib/records/events/readers.ts";
import { readBounds, readEvents, readLatest, type StreamData, type StreamEvent } from "#lib/records/events/store.ts";
import { withoutMeansIn } from "#lib/base/means.ts";
import { HOUR, SECOND } from "#lib/base/time.ts";

/** What goes over the wire: an event, a comment that keeps proxies open, or the time to wait before reconnecting. */
export type StreamFrame =
  | { readonly id: string; readonly event: string; readonly data: StreamData }
  | { readonly comment: string }
  | { readonly retry: number };

const QUIET = 15 * SECOND; // proxies close connections that are silent for longer, nginx after 60 s
const PAGE = 500;

/**
 * `since` is the last event that the client has; null begins with the present state of everything. A stream that has nothing
 * to say for `quiet` milliseconds says that.
 */
export async function* followHub(
  feeds: Feeds,
  reader: StreamReader,
  since: number | null,
  quiet: number = QUIET,
): AsyncGenerator<StreamFrame> {
  const feed = feeds.join(reader.federationId);
  try {
    yield { comment: "following" };
    yield* follow({ feeds, feed, reader, since, quiet, saidAt: performance.now() });
  } catch (error) {
    if (!reader.over.aborted) throw error;
  } finally {
    feed.leave();
    reader.leave();
  }
  if (feeds.closing()) yield { retry: reconnectAfter() };
}

interface Following {
  readonly feeds: Feeds;
  readonly feed: Feed;
  readonly reader: StreamReader;
  readonly since: number | null;
  readonly quiet: number;
  /** When something was sent last. */
  saidAt: number;
}

/** Ends by throwing, as soon as the reader is over. */
async function* follow(following: Following): AsyncGenerator<StreamFrame> {
  const { feeds, feed, reader: { federationId, over }, since } = following;
  yield* patiently(following, feed.opened);
  const bounds = yield* patiently(following, feeds.read((rows) => readBounds(rows, federationId), over));
  // A reader that comes from another replica may know more than this one's feed does yet; no reason to begin anew.
  let sent = Math.max(feed.last(), Math.min(since ?? 0, bounds.last));
  let { removed } = bounds;
  const pages = beginning(following, { last: sent, prunedThrough: bounds.prunedThrough });
  for (;;) {
    const { done, value } = yield* patiently(following, pages.next());
    if (done) break;
    yield* show(following, value);
    removed ||= value.events.some(isRemoval); // the feed may be ahead of the bounds
  }
  while (!removed) {
    yield* patiently(following, feed.wait(sent, over));
    const known = feed.last();
    const page = feed.after(sent) ?? (yield* patiently(following, readPage(following, sent)));
    yield* show(following, page);
    sent = page.events.at(-1)?.number ?? Math.max(sent, known); // of a slow reader's, all may be pruned
    removed = page.events.some(isRemoval);
  }
  yield* conclude(following, sent);
}

/** Nothing comes after the removal of a hub. A client that comes back all the same is told so again, and need not hurry. */
async function* conclude(following: Following, number: number): AsyncGenerator<StreamFrame> {
  yield { retry: HOUR };
  yield* show(following, { events: [await notice(following, "StreamEnd", number)], at: performance.now() });
}

/** What stands before the live part, page by page: all up to and including event number `last`. */
async function* beginning(
  following: Following,
  { last, prunedThrough }: { readonly last: number; readonly prunedThrough: number },
): AsyncGenerator<FeedPage, void> {
  const { feeds, reader: { federationId, over }, since } = following;
  if (since === null) {
    const events = await feeds.read((rows) => readLatest(rows, federationId, last), over);
    return yield { events, at: performance.now() };
  }
  // Otherwise what the client saw last is pruned, or of another life of this database: it must begin anew.
  const whole = since >= prunedThrough && since <= last;
  if (!whole) yield { events: [await notice(following, "StreamReset", prunedThrough)], at: performance.now() };
  for (let from = whole ? since : 0; from < last;) {
    const page = await readPage(following, from);
    const events = page.events.filter((event) => event.number <= last);
    if (events.length === 0) return;
    yield { ...page, events };
    from = events.at(-1)!.number;
  }
}

async function readPage({ feeds, reader: { federationId, over } }: Following, after: number): Promise<FeedPage> {
  const events = await feeds.read((rows) => readEvents(rows, federationId, after, PAGE), over);
  return { events, at: performance.now() };
}

/** What is said of the stream itself, with the state of its hub. */
async function notice(
  { feeds, reader: { federationId, over } }: Following,
  type: "StreamReset" | "StreamEnd",
  number: number,
): Promise<StreamEvent> {
  const { state, now } = await feeds.read(
    (rows) =>
      rows.selectFrom("federations").select(["state", sql<Date>`wheelwright_now()`.as("now")])
        .where("id", "=", federationId).executeTakeFirstOrThrow(),
    over,
  );
  return {
    number,
    type,
    spokeId: null,
    data: { id: String(number), type, at: now.toISOString(), federationId, state },
  };
}

/** Those of the events that the reader may see as it takes them: a slow one takes hours over a page. */
async function* show(following: Following, { events, at }: FeedPage): AsyncGenerator<StreamFrame> {
  const { reader } = following;
  for (const event of events) {
    let sight = reader.sight(-Infinity) ?? (yield* decide(following, -Infinity));
    // It may be of a spoke that was given after the decision and before the event.
    if (!sees(sight, event)) sight = reader.sight(at) ?? (yield* decide(following, at));
    if (!sees(sight, event)) continue;
    following.saidAt = performance.now();
    const data = sight === "all" ? event.data : plainOf(event);
    yield { id: String(event.number), event: event.type, data };
  }
}

const plain = new WeakMap<StreamData, StreamData>();

/** What those are told who learn of no operator's means: one object for all of them, as the event has one for the others. */
function plainOf({ data }: StreamEvent): StreamData {
  const made = plain.get(data) ?? withoutMeansIn(data);
  plain.set(data, made);
  return made;
}

async function* decide(following: Following, since: number): AsyncGenerator<StreamFrame, StreamSight> {
  for (;;) {
    yield* patiently(following, following.reader.looked());
    const sight = following.reader.sight(since);
    if (sight) return sight;
  }
}

function isRemoval({ type }: StreamEvent): boolean {
  return type === "FederationUpdateRemoved";
}

function sees(sight: StreamSight, event: StreamEvent): boolean {
  return typeof sight === "string" || event.type.startsWith("Stream") ||
    (event.spokeId !== null && sight.has(event.spokeId));
}

/**
 * Waits for the work with a comment now and then. Throws as soon as the reader is over, whatever becomes of the work.
 */
async function* patiently<T>(following: Following, work: Promise<T>): AsyncGenerator<StreamFrame, T> {
  const { over } = following.reader;
  let ended = false, wake = () => {};
  const onOver = () => wake();
  work.catch(() => {}).finally(() => {
    ended = true;
    wake();
  });
  over.addEventListener("abort", onOver);
  try {
    while (!ended) {
      over.throwIfAborted();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, following.saidAt + following.quiet - performance.now());
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (ended || over.aborted || performance.now() < following.saidAt + following.quiet) continue;
      following.saidAt = performance.now();
      yield { comment: "still here" };
    }
    over.throwIfAborted();
    return await work;
  } finally {
    over.removeEventListener("abort", onOver);
  }
}

/** Milliseconds; by chance between 1 and 4 s, so that not all readers of a replica come back at once. */
function reconnectAfter(): number {
  return Math.round(SECOND + Math.random() * 3 * SECOND);
}
