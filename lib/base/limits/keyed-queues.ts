/**
 * Provides first-in, first-out queues, one per key, that share a fixed number of slots. The queues take turns
 * (round-robin), so that a long queue does not delay the others.
 */
import { createWaitQueue, type WaitQueue } from "#lib/base/limits/wait-queue.ts";

interface KeyedQueuesOptions {
  /** The maximum number of tasks that run at the same time across all queues. */
  readonly slots: number;
  /** The maximum number of tasks from one queue that run at the same time. Defaults to 1. */
  readonly perQueue?: number;
}

interface Arrival {
  /** The task's position in its queue: lower numbers are served first. */
  readonly order: number;
  /** When this signal aborts, the task is removed from the queue if it is still waiting. */
  readonly signal?: AbortSignal;
}

export interface KeyedQueues {
  /** Waits for a slot. Resolves with a function that releases the slot. Rejects with the signal's reason on abort. */
  enter(key: string, arrival: Arrival): Promise<() => void>;
  /** Returns the number of waiting tasks across all queues. */
  waiting(): number;
}

interface Queue {
  readonly waitQueue: WaitQueue;
  running: number;
}

export function createKeyedQueues({ slots, perQueue: perQueue = 1 }: KeyedQueuesOptions): KeyedQueues {
  const queues = new Map<string, Queue>(); // in round-robin order
  let freeSlots = slots;

  function findOrCreate(key: string): Queue {
    const existing = queues.get(key);
    if (existing) return existing;
    const queue = { waitQueue: createWaitQueue(), running: 0 };
    queues.set(key, queue);
    return queue;
  }

  function serveWaiting(): void {
    for (const [key, queue] of queues) {
      if (freeSlots === 0) return;
      if (queue.running >= perQueue || !queue.waitQueue.serveNext()) continue;
      freeSlots--;
      queue.running++;
      moveToEnd(key, queue); // the loop visits the queue again at the end
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
        moveToEnd(key, queue); // also behind queues that were created in the meantime
        serveWaiting();
        removeIfIdle(key, queue);
      };
    },
    waiting: () => [...queues.values()].reduce((sum, { waitQueue }) => sum + waitQueue.length, 0),
  };
}
