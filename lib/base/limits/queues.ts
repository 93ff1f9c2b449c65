/**
 * Queues by key that share a number of slots. Each queue is served in order of arrival, and the queues take turns, so a
 * long queue does not delay the others.
 *
 * Bottleneck cannot withdraw a job that waits. A request whose client has left must not run, so this is our own code.
 */
import { openLine, type WaitingLine } from "#lib/base/limits/line.ts";

interface QueuesOptions {
  /** Work that may run at the same time, over all queues. */
  readonly slots: number;
  /** Work of one queue that may run at the same time; 1 when absent. */
  readonly abreast?: number;
}

interface Arrival {
  /** Position in time: in one queue a lower one is served first. */
  readonly order: number;
  /** Withdraws the work while it waits. */
  readonly signal?: AbortSignal;
}

export interface Queues {
  /** Resolves with the function that releases the slot. Rejects with the signal's reason if that aborts first. */
  enter(key: string, arrival: Arrival): Promise<() => void>;
  /** Work that waits, over all queues. */
  waiting(): number;
}

interface Queue {
  readonly line: WaitingLine;
  running: number;
}

export function openQueues({ slots, abreast = 1 }: QueuesOptions): Queues {
  const queues = new Map<string, Queue>(); // in the order in which they have their next turn
  let free = slots;

  function find(key: string): Queue {
    const known = queues.get(key);
    if (known) return known;
    const queue = { line: openLine(), running: 0 };
    queues.set(key, queue);
    return queue;
  }

  function serve(): void {
    for (const [key, queue] of queues) {
      if (free === 0) return;
      if (queue.running >= abreast || !queue.line.serve()) continue;
      free--;
      queue.running++;
      putLast(key, queue); // where this loop comes to it again
    }
  }

  function putLast(key: string, queue: Queue): void {
    queues.delete(key);
    queues.set(key, queue);
  }

  function forget(key: string, queue: Queue): void {
    if (queue.running === 0 && queue.line.length === 0 && queues.get(key) === queue) queues.delete(key);
  }

  return {
    async enter(key, { order, signal }) {
      const queue = find(key), served = queue.line.join(order, signal);
      serve();
      try {
        await served;
      } catch (error) {
        forget(key, queue);
        throw error;
      }
      let released = false;
      return () => {
        if (released) return;
        released = true;
        free++;
        queue.running--;
        putLast(key, queue); // also behind the queues that are new since it was served
        serve();
        forget(key, queue);
      };
    },
    waiting: () => [...queues.values()].reduce((sum, { line }) => sum + line.length, 0),
  };
}
