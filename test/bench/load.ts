/** Generates load on a server. A closed loop sends the next request after each response, and shows the throughput. An
 * open loop sends at a fixed rate, and shows how long clients wait. */
import { type Connection, type HttpReply, openConnection } from "#test/bench/connection.ts";
import { latencySinceDue, scheduleOf } from "#test/bench/statistics.ts";

export interface RequestLoad {
  /** Returns the next request as bytes. */
  readonly next: () => Buffer;
  /** Throws if the response is not the expected one. */
  readonly check: (reply: HttpReply) => void;
}

/** The end of a closed loop: after this many milliseconds, or earlier after this many responses. */
export interface LoadDuration {
  readonly ms: number;
  readonly requests?: number;
}

/** The number of responses, and the milliseconds they took. */
export interface LoadResult {
  readonly requests: number;
  readonly ms: number;
}

/** Keeps all connections busy for the given length. */
export async function runClosed(
  connections: readonly Connection[],
  { ms, requests = Infinity }: LoadDuration,
  load: RequestLoad,
): Promise<LoadResult> {
  const began = performance.now(), end = began + ms;
  let answers = 0, working = connections.length;
  await unbroken(connections, (done, fail) => {
    for (const connection of connections) {
      const ask = () => connection.send(load.next(), take);
      const take = (reply: HttpReply) => {
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

const TICK = 1; // milliseconds between two checks for due requests: the resolution of a timer

/** Sends requests at this rate per second. Returns the milliseconds from when each was due until its response. */
export async function runOpen(
  connections: readonly Connection[],
  { rate, ms }: { readonly rate: number; readonly ms: number },
  load: RequestLoad,
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
  return latencySinceDue(schedule, answeredAt);
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

/** Sends one request on a separate connection. */
export async function sendOnce(port: number, request: Buffer): Promise<HttpReply> {
  return await withConnections(port, 1, async ([connection]) => {
    const { promise, resolve } = Promise.withResolvers<HttpReply>();
    connection!.send(request, resolve);
    return await Promise.race([promise, connection!.broken]);
  });
}

/** Runs the work until it is done. Rejects if a connection breaks before. */
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
