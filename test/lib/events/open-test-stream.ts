/** Opens streams for tests: they emit events and decide what each reader may see. */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Database, Tx } from "#lib/drivers/db/database.ts";
import type { HubFeeds } from "#lib/events/feed.ts";
import type { ReadVisibility, StreamFollower, StreamVisibility, VisibilityDecision } from "#lib/events/visibility.ts";
import { streamHubEvents } from "#lib/events/stream.ts";
import type { StreamFrame } from "#lib/events/keep-alive.ts";
import { createId } from "#lib/base/ids.ts";
import { readFrames } from "#test/support/frames.ts";

export function emitEvent(db: Database, federationId: string, state: string, spokeId?: string): Promise<unknown> {
  return db.transact((tx: Tx) =>
    recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId, state, ...(spokeId && { spokeId }) }] })
  );
}

/** The visibility by user. Other users see everything. */
export const visibilities = new Map<string, StreamVisibility | null>();
export const readTestVisibility: ReadVisibility = (_, followers) =>
  Promise.resolve(
    followers.map(({ userId }) => createDecision(visibilities.has(userId) ? visibilities.get(userId)! : "all")),
  );

export function createDecision(sight: StreamVisibility | null, endsIn = Infinity): VisibilityDecision | null {
  return sight && { visibility: sight, expiresInMs: endsIn };
}

export function openTestStream(
  feeds: HubFeeds,
  federationId: string,
  since: number | null = null,
  who: Partial<StreamFollower> = {},
) {
  const userId = createId("usr"), follower = { credentialId: createId("tok"), userId, federationId, ...who };
  const reader = feeds.enter(follower);
  const frames = readFrames<StreamFrame>({
    run: (send) => streamHubEvents(feeds, reader, since, send),
    cancel: reader.leave,
  });
  return {
    ...reader,
    /** Returns the next event as "number Type", skipping comments; undefined at the end. */
    async next(): Promise<string | undefined> {
      for (;;) {
        const { value, done } = await frames.next();
        if (done) return undefined;
        if ("event" in value) return `${value.id} ${value.event}`;
        if ("retry" in value) return "retry";
      }
    },
    close: () => frames.return(undefined),
  };
}
