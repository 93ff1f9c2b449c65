/**
 * Wake-ups between replicas: who listens, and what is announced after a commit.
 *
 * All go over one channel, several topics in one notification, sent after the commit and outside of any transaction:
 * NOTIFY inside one makes all commits of the database wait for each other. A wake-up may be lost, never a row; who
 * listens reads the rows, and looks now and then even if nobody calls.
 */
import type { Topic, Wakeups } from "#lib/drivers/db/database.ts";
import { runDetached } from "#lib/base/work-context.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

export const CHANNEL = "wheelwright";
const PAYLOAD_LIMIT = 7900; // bytes; PostgreSQL takes 7999
const MAX_SEND_ATTEMPTS = 5;

interface WakeupsOptions {
  /** Sends each payload as one notification. */
  readonly notify: (payloads: readonly string[]) => Promise<void>;
  readonly log: Log;
}

interface OpenWakeups extends Wakeups {
  /** Tells listeners here at once, and those of other replicas soon. */
  announce(topics: Iterable<Topic>): void;
  /** What came over the channel; null when something may have been missed. */
  receive(payload: string | null): void;
  /** Settles when nothing is left to be sent. */
  flushed(): Promise<void>;
}

export function openWakeups(options: WakeupsOptions): OpenWakeups {
  const listeners = new Map<Topic, Set<() => void>>();
  const self = crypto.randomUUID().slice(0, 8); // our own notifications come back, and were delivered already
  let pending = new Set<Topic>();
  let sending: Promise<void> | null = null;

  function wake(topic: Topic): void {
    for (const listener of [...listeners.get(topic) ?? []]) {
      try {
        runDetached(listener); // what it goes on with is not done for who has called
      } catch (error) {
        options.log.error("A listener for wake-ups failed", { topic, error });
      }
    }
  }

  /** One sender at a time: what is announced meanwhile goes out together with the next. */
  async function send(): Promise<void> {
    for (let failed = 0; pending.size > 0;) {
      const topics = pending;
      pending = new Set();
      try {
        await options.notify(toPayloads(self, topics));
        failed = 0;
      } catch (error) {
        if (++failed >= MAX_SEND_ATTEMPTS) {
          options.log.warn("Other replicas were not notified; they will find the work when they poll", {
            topics: topics.size,
            error,
          });
          break;
        }
        for (const topic of topics) pending.add(topic);
        await sleep(SECOND / 4 * failed);
      }
    }
    sending = null;
  }

  return {
    subscribe(topic, listener) {
      const own = () => listener(); // the same function may subscribe twice
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(own));
      return () => {
        if (set.delete(own) && set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
    announce(topics) {
      for (const topic of topics) {
        pending.add(topic);
        wake(topic);
      }
      if (pending.size > 0) sending ??= runDetached(() => Promise.resolve().then(send));
    },
    receive(payload) {
      if (payload === null) return [...listeners.keys()].forEach(wake);
      const [sender, topics = ""] = payload.split(";", 2);
      if (sender !== self) topics.split(",").forEach((topic) => wake(topic as Topic));
    },
    flushed: () => sending ?? Promise.resolve(),
  };
}

function toPayloads(sender: string, topics: Iterable<Topic>): string[] {
  const payloads: string[] = [];
  let payload = "";
  for (const topic of topics) {
    const longer = payload === "" ? `${sender};${topic}` : `${payload},${topic}`;
    if (payload !== "" && longer.length > PAYLOAD_LIMIT) {
      payloads.push(payload);
      payload = `${sender};${topic}`;
    } else payload = longer;
  }
  return [...payloads, payload];
}
