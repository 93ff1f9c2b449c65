/**
 * Load on a server. A closed loop sends the next request as soon as the last one is answered, and shows what the server can
 * do; an open loop sends at a fixed rate whatever is answered, and shows how long callers wait.
 */
import { type Connection, openConnection, type Reply } from "#test/bench/connection.ts";
import { scheduleOf, sinceDue } from "#test/bench/figures.ts";

export interface Load {
  /** Requests one after another, each as it stands. */
  readonly next: () => Buffer;
  /** Throws when the answer is not the one that was asked for. */
  readonly check: (reply: Reply) => void;
}

/** When a closed loop ends: after so many milliseconds, or before once so many requests are answered. */
export interface Length {
  readonly ms: number;
  readonly requests?: number;
}

/** What was answered, and in how many milliseconds. */
export interface Answered {
  readonly requests: number;
  readonly ms: number;
}

/** Keeps all connections busy for so long. */
export async function runClosed(
  connections: readonly Connection[],
  { ms, requests = Infinity }: Length,
  load: Load,
): Promise<Answered> {
  const began = performance.now(), end = began + ms;
  let answers = 0, working = connections.length;
  await unbroken(connections, (done, fail) => {
    for (const connection of connections) {
      const ask = () => connection.send(load.next(), take);
      const take = (reply: Reply) => {
        const wrong = attempt(() => load.check(reply));
        if (wrong) return fail(wrong);
        answers++;
        if (answers < requests && performance.now() < end) ask();
        else if (--working === 0) done();
      };
      ask();
    }
  });
  return { requests: answers, ms: performance.now() - began };
}

const TICK = 1; // ms between two looks at what is due: the finest that a timer has

/** Sends so many requests a second for so long; milliseconds of each from when it was due until it was answered. */
export async function runOpen(
  connections: readonly Connection[],
  { rate, ms }: { readonly rate: number; readonly ms: number },
  load: Load,
): Promise<number[]> {
  const schedule = scheduleOf(rate, ms), free = [...connections], answeredAt: number[] = [];
  const began = performance.now();
  let sent = 0, answered = 0;
  await unbroken(connections, (done, fail) => {
    const timer = setInterval(sendDue, TICK);
    const stop = (end: () => void) => (clearInterval(timer), end());
    function sendDue(): void {
      const due = schedule.dueBy(performance.now() - began);
      while (sent < due && free.length > 0) ask(free.pop()!, sent++);
    }
    function ask(connection: Connection, i: number): void {
      connection.send(load.next(), (reply) => {
        answeredAt[i] = performance.now() - began;
        const wrong = attempt(() => load.check(reply));
        if (wrong) return stop(() => fail(wrong));
        free.push(connection);
        if (++answered === schedule.count) return stop(done);
        sendDue();
      });
    }
  });
  return sinceDue(schedule, answeredAt);
}

export async function withConnections<T>(
  port: number,
  count: number,
  work: (connections: readonly Connection[]) => Promise<T>,
): Promise<T> {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  try {
    return await work(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** One request on a connection of its own. */
export async function ask(port: number, request: Buffer): Promise<Reply> {
  return await withConnections(port, 1, async ([connection]) => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    connection!.send(request, resolve);
    return await Promise.race([promise, connection!.broken]);
  });
}

/** Until the work is done, unless a connection breaks before. */
function unbroken(
  connections: readonly Connection[],
  work: (done: () => void, fail: (error: unknown) => void) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  for (const { broken } of connections) broken.catch(reject);
  work(resolve, reject);
  return promise;
}

function attempt(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
}
