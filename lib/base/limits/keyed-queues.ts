/**
 * Queues by key that share a number of slots. Each queue is served in order of arrival, and the queues take turns, so a
 * long queue does not delay the others.
 *
 * Bottleneck cannot withdraw a job that waits. A request whose client has left must not run, so this is our own code.
 */
import { openWaitQueue, type WaitQueue } from "#lib/base/limits/wait-queue.ts";

interface KeyedQueuesOptions {
  /** Work that may run at the same time, over all queues. */
  readonly slots: number;
  /** Work of one queue that may run at the same time; 1 when absent. */
  readonly perQueue?: number;
}

interface Arrival {
  /** Position in time: in one queue a lower one is served first. */
  readonly order: number;
  /** Withdraws the work while it waits. */
  readonly signal?: AbortSignal;
}

export interface KeyedQueues {
  /** Resolves with the function that releases the slot. Rejects with the signal's reason if that aborts first. */
  enter(key: string, arrival: Arrival): Promise<() => void>;
  /** Work that waits, over all queues. */
  waiting(): number;
}

interface Queue {
  readonly waitQueue: WaitQueue;
  running: number;
}

export function openKeyedQueues({ slots, perQueue: perQueue = 1 }: KeyedQueuesOptions): KeyedQueues {
  const queues = new Map<string, Queue>(); // in the order in which they have their next turn
  let freeSlots = slots;

  function findOrCreate(key: string): Queue {
    const existing = queues.get(key);
    if (existing) return existing;
    const queue = { waitQueue: openWaitQueue(), running: 0 };
    queues.set(key, queue);
    return queue;
  }

  function serveWaiting(): void {
    for (const [key, queue] of queues) {
      if (freeSlots === 0) return;
      if (queue.running >= perQueue || !queue.waitQueue.serveNext()) continue;
      freeSlots--;
      queue.running++;
      moveToEnd(key, queue); // where this loop comes to it again
    }
  }

  function moveToEnd(key: string, queue: Queue): void {
    queues.delete(key);
    queues.set(key, queue);
  }

  function removeIfIdle(key: string, queue: Queue): void {
    if (queue.running === 0 && queue.waitQueue.length === 0 && queues.get(key) === queue) queues.delete(key);
  }

  return {
    async enter(key, { order, signal }) {
      const queue = findOrCreate(key), served = queue.waitQueue.enqueue(order, signal);
      serveWaiting();
      try {
        await served;
      } catch (error) {
        removeIfIdle(key, queue);
        throw error;
      }
      let released = false;
      return () => {
        if (released) return;
        released = true;
        freeSlots++;
        queue.running--;
        moveToEnd(key, queue); // also behind the queues that are new since it was served
        serveWaiting();
        removeIfIdle(key, queue);
      };
    },
    waiting: () => [...queues.values()].reduce((sum, { waitQueue: line }) => sum + line.length, 0),
  };
}
