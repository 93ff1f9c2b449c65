/** Following hubs in tests: events are emitted, and what each reader may see is what the test says. */
import { SYSTEM } from "#lib/audit/asker.ts";
import { record } from "#lib/changes/record.ts";
import type { Database, Tx } from "#lib/drivers/db/database.ts";
import type { Feeds } from "#lib/events/feed.ts";
import type { Decision, Follower, ReadSights, StreamSight } from "#lib/events/looks.ts";
import { followHub } from "#lib/events/stream.ts";
import type { StreamFrame } from "#lib/events/voices.ts";
import { newId } from "#lib/base/ids.ts";
import { pull } from "#test/support/frames.ts";

export function emit(db: Database, federationId: string, state: string, spokeId?: string): Promise<unknown> {
  return db.transact((tx: Tx) =>
    record(tx, SYSTEM, { events: [{ federationId, state, ...(spokeId && { spokeId }) }] })
  );
}

/** What each user may see; those that are not here see all. */
export const sights = new Map<string, StreamSight | null>();
export const look: ReadSights = (_, followers) =>
  Promise.resolve(followers.map(({ userId }) => decision(sights.has(userId) ? sights.get(userId)! : "all")));

export function decision(sight: StreamSight | null, endsIn = Infinity): Decision | null {
  return sight && { sight, endsIn };
}

export function open(feeds: Feeds, federationId: string, since: number | null = null, who: Partial<Follower> = {}) {
  const userId = newId("usr"), follower = { credentialId: newId("tok"), userId, federationId, ...who };
  const reader = feeds.enter(follower);
  const frames = pull<StreamFrame>({ run: (send) => followHub(feeds, reader, since, send), cancel: reader.leave });
  return {
    ...reader,
    /** The next event as "number Type", past comments; undefined at the end. */
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
