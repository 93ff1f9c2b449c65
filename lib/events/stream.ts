/**
 * One reader's stream of a hub's events: replay, then live, without a gap between the two.
 *
 * The stream is a loop: send the events after the last one sent, each under a decision of what the reader may see, and
 * wait for more. It waits until what it sent is taken, so a slow client slows its own loop and nothing else. While the
 * database cannot answer, the stream waits. It ends with the hub: what comes last is `StreamEnd`.
 */
import { sql } from "kysely";
import type { Feed, FeedPage, Feeds } from "#lib/events/feed.ts";
import type { StreamVisibility } from "#lib/events/visibility.ts";
import type { StreamReader } from "#lib/events/readers.ts";
import { readEvents, readLatestEvents, readStreamBounds, type StreamEvent } from "#lib/events/store.ts";
import type { Send, StreamFrame } from "#lib/events/keep-alive.ts";
import { withoutOperatorDetailsIn } from "#lib/base/operator-details.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { HOUR, SECOND } from "#lib/base/time.ts";

const PAGE_SIZE = 500;

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
  const { ended, federationId, userId } = reader;
  const feed = feeds.join(federationId, ended), keepAlive = feeds.openKeepAlive(write);
  const send: Send = (frame) => {
    ended.throwIfAborted();
    const drained = keepAlive.send(frame);
    if (drained) return unlessEnded(ended, () => drained);
  };
  try {
    await send({ comment: "following" });
    await sendEvents({ feeds, feed, reader, since, send });
  } catch (error) {
    if (!ended.aborted) {
      feeds.log.warn("A stream was cut off", { federationId, userId, error });
      throw error;
    }
  } finally {
    keepAlive.end();
    feed.leave();
    reader.leave();
  }
  if (feeds.closing()) write({ retry: reconnectDelay() })?.catch(() => {}); // nobody waits for whether that is taken
}

interface StreamContext {
  readonly feeds: Feeds;
  readonly feed: Feed;
  readonly reader: StreamReader;
  readonly since: number | null;
  readonly send: Send;
}

/** Ends by throwing, as soon as the reader is over. */
async function sendEvents(context: StreamContext): Promise<void> {
  const { feed, reader: { ended }, send } = context;
  let { sent, removed } = await sendBacklog(context);
  while (!removed) {
    await feed.wait(sent);
    ended.throwIfAborted();
    const existing = feed.last(), page = feed.after(sent) ?? await readPage(context, sent);
    await sendVisible(context, page);
    sent = page.events.at(-1)?.number ?? Math.max(sent, existing); // of a slow reader's, all may be pruned
    removed = page.events.some(isRemoval);
  }
  // Nothing comes after the removal of a hub. A client that comes back all the same is told so again, and need not hurry.
  await send({ retry: HOUR });
  await sendVisible(context, { events: [await createNotice(context, "StreamEnd", sent)], readAt: performance.now() });
}

/** Sends what stands before the live part, and tells the number of the last event of that, and whether the hub is gone. */
async function sendBacklog(context: StreamContext): Promise<{ sent: number; removed: boolean }> {
  const { feeds, feed, reader: { federationId, ended }, since } = context;
  await unlessEnded(ended, () => feed.opened);
  const bounds = await unlessEnded(ended, () => feeds.read((rows) => readStreamBounds(rows, federationId), ended));
  // A reader that comes from another replica may know more than this one's feed does yet; no reason to begin anew.
  const sent = Math.max(feed.last(), Math.min(since ?? 0, bounds.last));
  let { removed } = bounds;
  for await (const page of readBacklog(context, { last: sent, prunedThrough: bounds.prunedThrough })) {
    await sendVisible(context, page);
    removed ||= page.events.some(isRemoval); // the feed may be ahead of the bounds
  }
  return { sent, removed };
}

/** What stands before the live part, page by page: all up to and including event number `last`. */
async function* readBacklog(
  context: StreamContext,
  { last, prunedThrough }: { readonly last: number; readonly prunedThrough: number },
): AsyncGenerator<FeedPage, void> {
  const { feeds, reader: { federationId, ended }, since } = context;
  if (since === null) {
    const events = await unlessEnded(
      ended,
      () => feeds.read((rows) => readLatestEvents(rows, federationId, last), ended),
    );
    return yield { events, readAt: performance.now() };
  }
  // Otherwise what the client saw last is pruned, or of another life of this database: it must begin anew.
  const isComplete = since >= prunedThrough && since <= last;
  if (!isComplete) {
    yield { events: [await createNotice(context, "StreamReset", prunedThrough)], readAt: performance.now() };
  }
  for (let from = isComplete ? since : 0; from < last;) {
    const page = await readPage(context, from);
    const events = page.events.filter((event) => event.number <= last);
    if (events.length === 0) return;
    yield { ...page, events };
    from = events.at(-1)!.number;
  }
}

async function readPage({ feeds, reader: { federationId, ended } }: StreamContext, after: number): Promise<FeedPage> {
  const events = await unlessEnded(
    ended,
    () => feeds.read((rows) => readEvents(rows, federationId, after, PAGE_SIZE), ended),
  );
  return { events, readAt: performance.now() };
}

/** What is said of the stream itself, with the state of its hub. */
async function createNotice(
  { feeds, reader: { federationId, ended } }: StreamContext,
  type: "StreamReset" | "StreamEnd",
  number: number,
): Promise<StreamEvent> {
  const read = () =>
    feeds.read(
      (rows) =>
        rows.selectFrom("federations").select(["state", sql<Date>`wheelwright_now()`.as("now")])
          .where("id", "=", federationId).executeTakeFirstOrThrow(),
      ended,
    );
  const { state, now } = await unlessEnded(ended, read);
  const data = { id: String(number), type, at: now.toISOString(), federationId, state };
  return { number, type, spokeId: null, data, members: [] };
}

/** Those of the events that the reader may see as it takes them: a slow one takes hours over a page. */
async function sendVisible(context: StreamContext, { events, readAt: at }: FeedPage): Promise<void> {
  const { reader, send } = context;
  for (const event of events) {
    let visibility = reader.visibility(-Infinity) ?? await recheckVisibility(context, -Infinity);
    // It may be of a spoke that was given after the decision and before the event.
    if (!maySee(visibility, event) && event.members.includes(reader.userId)) {
      visibility = reader.visibility(at) ?? await recheckVisibility(context, at);
    }
    if (!maySee(visibility, event)) continue;
    const drained = send(frameOf(event, visibility));
    if (drained) await drained;
  }
}

const fullFrames = new WeakMap<StreamEvent, StreamFrame>(), plainFrames = new WeakMap<StreamEvent, StreamFrame>();

/** One object for all who are told the same: those who learn of an operator's means, and those who do not. */
function frameOf(event: StreamEvent, visibility: StreamVisibility): StreamFrame {
  const frames = visibility === "all" ? fullFrames : plainFrames, existing = frames.get(event);
  if (existing) return existing;
  const { number, type, data } = event;
  const frame = { id: String(number), event: type, data: visibility === "all" ? data : withoutOperatorDetailsIn(data) };
  frames.set(event, frame);
  return frame;
}

async function recheckVisibility({ reader }: StreamContext, since: number): Promise<StreamVisibility> {
  for (;;) {
    await unlessEnded(reader.ended, () => reader.recheck());
    const visibility = reader.visibility(since);
    if (visibility) return visibility;
  }
}

function isRemoval({ type }: StreamEvent): boolean {
  return type === "FederationUpdateRemoved";
}

function maySee(visibility: StreamVisibility, event: StreamEvent): boolean {
  return typeof visibility === "string" || event.type.startsWith("Stream") ||
    (event.spokeId !== null && visibility.has(event.spokeId));
}

/** What comes of the work, unless the reader is over before. */
function unlessEnded<T>(ended: AbortSignal, work: () => Promise<T>): Promise<T> {
  return runWithin([ended], null, work);
}

/** Milliseconds; by chance between 1 and 4 s, so that not all readers of a replica come back at once. */
function reconnectDelay(): number {
  return Math.round(SECOND + Math.random() * 3 * SECOND);
}
