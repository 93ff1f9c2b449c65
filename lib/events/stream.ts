/**
 * Streams a hub's events to one reader: first the earlier events, then new ones, without a gap. Each event is sent only
 * after the client has received the previous one, so a slow client delays nobody else. After a hub's removal, the last
 * event is `StreamEnd`.
 */
import { sql } from "kysely";
import type { FeedPage, HubEventFeed, HubFeeds } from "#lib/events/feed.ts";
import type { StreamVisibility } from "#lib/events/visibility.ts";
import type { StreamReader } from "#lib/events/readers.ts";
import { readLatestStreamEvents, readStreamEvents, type StreamEvent } from "#lib/events/store.ts";
import type { SendFrame, StreamFrame } from "#lib/events/keep-alive.ts";
import { removeOperatorDetailsDeep } from "#lib/base/operator-details.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { HOUR, SECOND } from "#lib/base/time.ts";

const PAGE_SIZE = 500;

/** Sends a hub's events to a reader. `since` is the client's last event number, or null for a new client. */
export async function streamHubEvents(
  feeds: HubFeeds,
  reader: StreamReader,
  since: number | null,
  write: SendFrame,
): Promise<void> {
  const { ended, federationId, userId } = reader;
  const feed = feeds.join(federationId, ended), keepAlive = feeds.openKeepAlive(write);
  const send: SendFrame = (frame) => {
    ended.throwIfAborted();
    const drained = keepAlive.send(frame);
    if (drained) return unlessEnded(ended, () => drained);
  };
  try {
    await send({ comment: "following" });
    await sendEvents({ feeds, feed, reader, since, send });
  } catch (error) {
    if (!ended.aborted) {
      feeds.log.warn("An event stream ended with an error", { federationId, userId, error });
      throw error;
    }
  } finally {
    keepAlive.end();
    feed.leave();
    reader.leave();
  }
  // Ignores errors in sending this last frame, because the stream ends anyway.
  if (feeds.closing()) write({ retry: reconnectDelay() })?.catch(() => {});
}

interface StreamContext {
  readonly feeds: HubFeeds;
  readonly feed: HubEventFeed;
  readonly reader: StreamReader;
  readonly since: number | null;
  readonly send: SendFrame;
}

/** Sends events until the hub is removed. Throws if the reader's stream ends earlier. */
async function sendEvents(context: StreamContext): Promise<void> {
  const { feed, reader: { ended }, send } = context;
  let { sent, removed } = await sendBacklog(context);
  while (!removed) {
    await feed.wait(sent);
    ended.throwIfAborted();
    const existing = feed.last(), page = feed.after(sent) ?? await readPage(context, sent);
    await sendVisible(context, page);
    // Advances `sent` even if the next events for a slow reader have already been deleted.
    sent = page.events.at(-1)?.number ?? Math.max(sent, existing);
    removed = page.events.some(isRemoval);
  }
  // Sets a long retry delay, because a client that reconnects would only receive `StreamEnd` again.
  await send({ retry: HOUR });
  await sendVisible(context, { events: [await createNotice(context, "StreamEnd", sent)], readAt: performance.now() });
}

/** Sends the earlier events. Returns the number of the last one, and whether the hub was removed. */
async function sendBacklog(context: StreamContext): Promise<{ sent: number; removed: boolean }> {
  const { feed, reader: { ended }, since } = context;
  await unlessEnded(ended, () => feed.opened);
  const bounds = await unlessEnded(ended, feed.readBounds);
  // Another replica may already have sent the client newer events than this feed has read.
  const sent = Math.max(feed.last(), Math.min(since ?? 0, bounds.last));
  let { removed } = bounds;
  for await (const page of readBacklog(context, { last: sent, prunedThrough: bounds.prunedThrough })) {
    await sendVisible(context, page);
    removed ||= page.events.some(isRemoval); // the feed may know newer events than `bounds`
  }
  return { sent, removed };
}

/** Yields the earlier events page by page, up to the event number `last`. */
async function* readBacklog(
  context: StreamContext,
  { last, prunedThrough }: { readonly last: number; readonly prunedThrough: number },
): AsyncGenerator<FeedPage, void> {
  const { feeds, reader: { federationId, ended }, since } = context;
  if (since === null) {
    const events = await unlessEnded(
      ended,
      () => feeds.read((rows) => readLatestStreamEvents(rows, federationId, last), ended),
    );
    return yield { events, readAt: performance.now() };
  }
  // If the client's last event was deleted, or is from before a database restore, the client must start again.
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
    () => feeds.read((rows) => readStreamEvents(rows, federationId, after, PAGE_SIZE), ended),
  );
  return { events, readAt: performance.now() };
}

/** Creates an event about the stream itself, with the hub's current state. */
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

/** Sends the events that the reader may see. Checks access for every event, because a slow reader can take hours. */
async function sendVisible(context: StreamContext, { events, readAt: at }: FeedPage): Promise<void> {
  const { reader, send } = context;
  for (const event of events) {
    let visibility = reader.visibility(-Infinity) ?? await recheckVisibility(context, -Infinity);
    // Checks again, because the reader may have become the spoke's admin after the last check and before the event.
    if (!maySee(visibility, event) && event.members.includes(reader.userId)) {
      visibility = reader.visibility(at) ?? await recheckVisibility(context, at);
    }
    if (!maySee(visibility, event)) continue;
    const drained = send(frameOf(event, visibility));
    if (drained) await drained;
  }
}

const fullFrames = new WeakMap<StreamEvent, StreamFrame>(), plainFrames = new WeakMap<StreamEvent, StreamFrame>();

/** Returns the frame for an event, with or without details for operators. All readers share one frame per event. */
function frameOf(event: StreamEvent, visibility: StreamVisibility): StreamFrame {
  const frames = visibility === "all" ? fullFrames : plainFrames, existing = frames.get(event);
  if (existing) return existing;
  const { number, type, data } = event;
  const frame = {
    id: String(number),
    event: type,
    data: visibility === "all" ? data : removeOperatorDetailsDeep(data),
  };
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

/** Returns the result of `work`. Throws if the reader's stream ends first. */
function unlessEnded<T>(ended: AbortSignal, work: () => Promise<T>): Promise<T> {
  return runCancellable([ended], null, work);
}

/** Returns a random delay of 1 to 4 s in milliseconds, so that not all clients reconnect at the same time. */
function reconnectDelay(): number {
  return Math.round(SECOND + Math.random() * 3 * SECOND);
}
