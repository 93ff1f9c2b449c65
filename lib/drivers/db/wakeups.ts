/**
 * Sends wake-ups (notices of changed rows) to all replicas after a commit. NOTIFY runs outside the transaction, because
 * inside it would make commits wait for each other. A wake-up may be lost, so listeners must also poll the rows.
 */
import type { Wakeups, WakeupTopic } from "#lib/drivers/db/database.ts";
import { runWithoutContext } from "#lib/base/work-context.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

export const WAKEUP_CHANNEL = "wheelwright";
const PAYLOAD_LIMIT = 7900; // in bytes; PostgreSQL accepts up to 7999
const MAX_SEND_ATTEMPTS = 5;

interface WakeupsOptions {
  readonly notify: (payloads: readonly string[]) => Promise<void>;
  readonly log: Log;
}

interface OpenWakeups extends Wakeups {
  /** Calls the listeners on this replica immediately, and the listeners on other replicas soon after. */
  announce(topics: Iterable<WakeupTopic>): void;
  /** Handles a payload from the channel. Null means that notifications may have been lost. */
  receive(payload: string | null): void;
  /** Resolves when no notifications are waiting to be sent. */
  flushed(): Promise<void>;
}

export function openWakeups(options: WakeupsOptions): OpenWakeups {
  const listeners = new Map<WakeupTopic, Set<() => void>>();
  // Identifies notifications from this replica, so that its listeners do not handle them a second time.
  const self = crypto.randomUUID().slice(0, 8);
  let pending = new Set<WakeupTopic>();
  let sending: Promise<void> | null = null;

  function wake(topic: WakeupTopic): void {
    for (const listener of [...listeners.get(topic) ?? []]) {
      try {
        runWithoutContext(listener); // the listener's work does not belong to the caller's trace
      } catch (error) {
        options.log.error("A listener for wake-ups failed", { topic, error });
      }
    }
  }

  /** Sends one notification at a time. Topics that are announced meanwhile wait for the next notification. */
  async function send(): Promise<void> {
    for (let failed = 0; pending.size > 0;) {
      const topics = pending;
      pending = new Set();
      try {
        await options.notify(toPayloads(self, topics));
        failed = 0;
      } catch (error) {
        if (++failed >= MAX_SEND_ATTEMPTS) {
          options.log.warn("Cannot notify other replicas; they will find the changes at their next poll", {
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
      const own = () => listener(); // a separate function, so that the same listener can subscribe twice
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
      if (pending.size > 0) sending ??= runWithoutContext(() => Promise.resolve().then(send));
    },
    receive(payload) {
      if (payload === null) return [...listeners.keys()].forEach(wake);
      const [sender, topics = ""] = payload.split(";", 2);
      if (sender !== self) topics.split(",").forEach((topic) => wake(topic as WakeupTopic));
    },
    flushed: () => sending ?? Promise.resolve(),
  };
}

function toPayloads(sender: string, topics: Iterable<WakeupTopic>): string[] {
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
