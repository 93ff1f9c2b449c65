/**
 * Provides queues by key that share slots. Each queue is first in, first out. The queues are served round-robin, so a
 * long queue does not delay the others. The library Bottleneck cannot withdraw a waiting job, which is needed when a
 * client disconnects.
 */
import { openWaitQueue, type WaitQueue } from "#lib/base/limits/wait-queue.ts";

interface KeyedQueuesOptions {
  /** Tasks that may run at the same time, over all queues. */
  readonly slots: number;
  /** Tasks of one queue that may run at the same time; 1 if absent. */
  readonly perQueue?: number;
}

interface Arrival {
  /** Sequence number: a queue serves lower numbers first. */
  readonly order: number;
  /** A signal that withdraws the task while it waits. */
  readonly signal?: AbortSignal;
}

export interface KeyedQueues {
  /** Waits for a slot. Resolves with the function that releases it; rejects with the reason when the signal aborts. */
  enter(key: string, arrival: Arrival): Promise<() => void>;
  /** Returns the number of waiting tasks, over all queues. */
  waiting(): number;
}

interface Queue {
  readonly waitQueue: WaitQueue;
  running: number;
}

export function openKeyedQueues({ slots, perQueue: perQueue = 1 }: KeyedQueuesOptions): KeyedQueues {
  const queues = new Map<string, Queue>(); // in round-robin order
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
        moveToEnd(key, queue); // behind new queues as well
        serveWaiting();
        removeIfIdle(key, queue);
      };
    },
    waiting: () => [...queues.values()].reduce((sum, { waitQueue }) => sum + waitQueue.length, 0),
  };
}
