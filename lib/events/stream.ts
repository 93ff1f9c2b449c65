/**
 * One reader's stream of a hub's events: replay, then live, without a gap between the two.
 *
 * The stream is a loop: send the events after the last one sent, each under a decision of what the reader may see, and
 * wait for more. It waits until what it sent is taken, so a slow client slows its own loop and nothing else. While the
 * database cannot answer, the stream waits. It ends with the hub: what comes last is `StreamEnd`.
 */
import { sql } from "kysely";
import type { Feed, FeedPage, Feeds } from "#lib/events/feed.ts";
import type { StreamSight } from "#lib/events/looks.ts";
import type { StreamReader } from "#lib/events/readers.ts";
import { readBounds, readEvents, readLatest, type StreamEvent } from "#lib/events/store.ts";
import type { Send, StreamFrame } from "#lib/events/voices.ts";
import { withoutOperatorDetailsIn } from "#lib/base/operator-details.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { HOUR, SECOND } from "#lib/base/time.ts";

const PAGE = 500;

/**
 * Sends all of one reader's stream. `since` is the last event that the client has; null begins with the present state of
 * everything.
 */
export async function followHub(
  feeds: Feeds,
  reader: StreamReader,
  since: number | null,
  write: Send,
): Promise<void> {
  const { over, federationId, userId } = reader;
  const feed = feeds.join(federationId, over), voice = feeds.speak(write);
  const send: Send = (frame) => {
    over.throwIfAborted();
    const room = voice.send(frame);
    if (room) return unless(over, () => room);
  };
  try {
    await send({ comment: "following" });
    await follow({ feeds, feed, reader, since, send });
  } catch (error) {
    if (!over.aborted) {
      feeds.log.warn("A stream was cut off", { federationId, userId, error });
      throw error;
    }
  } finally {
    voice.end();
    feed.leave();
    reader.leave();
  }
  if (feeds.closing()) write({ retry: reconnectAfter() })?.catch(() => {}); // nobody waits for whether that is taken
}

interface Following {
  readonly feeds: Feeds;
  readonly feed: Feed;
  readonly reader: StreamReader;
  readonly since: number | null;
  readonly send: Send;
}

/** Ends by throwing, as soon as the reader is over. */
async function follow(following: Following): Promise<void> {
  const { feed, reader: { over }, send } = following;
  let { sent, removed } = await begin(following);
  while (!removed) {
    await feed.wait(sent);
    over.throwIfAborted();
    const known = feed.last(), page = feed.after(sent) ?? await readPage(following, sent);
    await show(following, page);
    sent = page.events.at(-1)?.number ?? Math.max(sent, known); // of a slow reader's, all may be pruned
    removed = page.events.some(isRemoval);
  }
  // Nothing comes after the removal of a hub. A client that comes back all the same is told so again, and need not hurry.
  await send({ retry: HOUR });
  await show(following, { events: [await notice(following, "StreamEnd", sent)], at: performance.now() });
}

/** Sends what stands before the live part, and tells the number of the last event of that, and whether the hub is gone. */
async function begin(following: Following): Promise<{ sent: number; removed: boolean }> {
  const { feeds, feed, reader: { federationId, over }, since } = following;
  await unless(over, () => feed.opened);
  const bounds = await unless(over, () => feeds.read((rows) => readBounds(rows, federationId), over));
  // A reader that comes from another replica may know more than this one's feed does yet; no reason to begin anew.
  const sent = Math.max(feed.last(), Math.min(since ?? 0, bounds.last));
  let { removed } = bounds;
  for await (const page of beginning(following, { last: sent, prunedThrough: bounds.prunedThrough })) {
    await show(following, page);
    removed ||= page.events.some(isRemoval); // the feed may be ahead of the bounds
  }
  return { sent, removed };
}

/** What stands before the live part, page by page: all up to and including event number `last`. */
async function* beginning(
  following: Following,
  { last, prunedThrough }: { readonly last: number; readonly prunedThrough: number },
): AsyncGenerator<FeedPage, void> {
  const { feeds, reader: { federationId, over }, since } = following;
  if (since === null) {
    const events = await unless(over, () => feeds.read((rows) => readLatest(rows, federationId, last), over));
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
  const events = await unless(over, () => feeds.read((rows) => readEvents(rows, federationId, after, PAGE), over));
  return { events, at: performance.now() };
}

/** What is said of the stream itself, with the state of its hub. */
async function notice(
  { feeds, reader: { federationId, over } }: Following,
  type: "StreamReset" | "StreamEnd",
  number: number,
): Promise<StreamEvent> {
  const read = () =>
    feeds.read(
      (rows) =>
        rows.selectFrom("federations").select(["state", sql<Date>`wheelwright_now()`.as("now")])
          .where("id", "=", federationId).executeTakeFirstOrThrow(),
      over,
    );
  const { state, now } = await unless(over, read);
  const data = { id: String(number), type, at: now.toISOString(), federationId, state };
  return { number, type, spokeId: null, data, members: [] };
}

/** Those of the events that the reader may see as it takes them: a slow one takes hours over a page. */
async function show(following: Following, { events, at }: FeedPage): Promise<void> {
  const { reader, send } = following;
  for (const event of events) {
    let sight = reader.sight(-Infinity) ?? await decide(following, -Infinity);
    // It may be of a spoke that was given after the decision and before the event.
    if (!sees(sight, event) && event.members.includes(reader.userId)) {
      sight = reader.sight(at) ?? await decide(following, at);
    }
    if (!sees(sight, event)) continue;
    const room = send(frameOf(event, sight));
    if (room) await room;
  }
}

const whole = new WeakMap<StreamEvent, StreamFrame>(), plain = new WeakMap<StreamEvent, StreamFrame>();

/** One object for all who are told the same: those who learn of an operator's means, and those who do not. */
function frameOf(event: StreamEvent, sight: StreamSight): StreamFrame {
  const frames = sight === "all" ? whole : plain, known = frames.get(event);
  if (known) return known;
  const { number, type, data } = event;
  const frame = { id: String(number), event: type, data: sight === "all" ? data : withoutOperatorDetailsIn(data) };
  frames.set(event, frame);
  return frame;
}

async function decide({ reader }: Following, since: number): Promise<StreamSight> {
  for (;;) {
    await unless(reader.over, () => reader.looked());
    const sight = reader.sight(since);
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

/** What comes of the work, unless the reader is over before. */
function unless<T>(over: AbortSignal, work: () => Promise<T>): Promise<T> {
  return runWithin([over], null, work);
}

/** Milliseconds; by chance between 1 and 4 s, so that not all readers of a replica come back at once. */
function reconnectAfter(): number {
  return Math.round(SECOND + Math.random() * 3 * SECOND);
}
