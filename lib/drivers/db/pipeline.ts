/**
 * Short reads on connections that many share. Each is sent at once behind those that are under way, and what is asked in
 * the same moment goes to the server in one write: with a connection for each, a third of a request's processor time
 * went into writing to them. A read that lost its connection is asked once more; it has changed nothing.
 */
import { again } from "#lib/drivers/db/again.ts";
import { type Result, tooSlow } from "#lib/drivers/db/client.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import type { Lease, Pool } from "#lib/drivers/db/pool.ts";
import { SECOND } from "#lib/base/time.ts";

interface PipelineOptions {
  readonly pool: Pool;
  /** Milliseconds that a read may take. */
  readonly limit: number;
  /** Connections of the pool that may be shared at once. */
  readonly most: number;
  /** Milliseconds for which one is shared; then it goes back to the pool, which may have ended its time. */
  readonly sharedFor?: number;
}

interface Pipeline {
  /** The rows; rejects with the signal's reason, soon after it aborts. */
  ask(text: string, params: readonly unknown[], signal?: AbortSignal): Promise<Record<string, unknown>[]>;
}

interface Ask {
  readonly signal: AbortSignal | undefined;
  readonly at: number;
  readonly reject: (reason: unknown) => void;
}

interface Line {
  readonly lease: Lease;
  readonly since: number;
  readonly asks: Set<Ask>;
}

const SLOW = 10; // ms that a read takes until those after it are sent over another connection
const LOOK = 25; // ms between two looks at what has been called off

export function openPipeline({ pool, limit, most, sharedFor = SECOND }: PipelineOptions): Pipeline {
  const lines = new Set<Line>();
  let opening: Promise<Line> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * The line whose first read came last, unless even that one is slow and another may be opened. One line is best while it is
   * quick: the more that is asked over it, the fewer are the writes.
   */
  function pick(): Line | undefined {
    const now = performance.now();
    let best: Line | undefined, latest = -Infinity;
    for (const line of lines) {
      const [first] = line.asks, at = first?.at ?? now;
      if (!line.lease.dead && now - line.since < sharedFor && at > latest) [best, latest] = [line, at];
    }
    return best && (now - latest < SLOW || lines.size >= most || opening) ? best : undefined;
  }

  async function open(): Promise<Line> {
    try {
      const line = { lease: await pool.acquire(), since: performance.now(), asks: new Set<Ask>() };
      lines.add(line);
      return line;
    } finally {
      opening = null;
    }
  }

  function send(line: Line, text: string, params: readonly unknown[], signal: AbortSignal | undefined) {
    return new Promise<Result>((resolve, reject) => {
      const ask = { signal, reject, at: performance.now() };
      line.asks.add(ask);
      timer ??= setTimeout(look, LOOK);
      line.lease.query(text, params, { limit: null }).then(resolve, reject).finally(() => {
        line.asks.delete(ask);
        if (line.asks.size === 0 && lines.delete(line)) line.lease.release();
      });
    });
  }

  /** Refuses what was called off, and gives up a connection that does not answer any more. */
  function look(): void {
    const now = performance.now();
    timer = lines.size > 0 ? setTimeout(look, LOOK) : undefined;
    for (const { lease, asks } of lines) {
      for (const { signal, at, reject } of asks) {
        if (signal?.aborted) reject(signal.reason);
        if (now - at < limit) continue;
        reject(tooSlow(limit));
        lease.release(tooSlow(limit));
      }
    }
  }

  async function once(text: string, params: readonly unknown[], signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    const line = pick() ?? await (opening ??= open());
    return (await send(line, text, params, signal)).rows;
  }

  return {
    ask: (text, params, signal) =>
      again(() => once(text, params, signal), { signal }).catch((error) => {
        if (error instanceof ConnectionLost) return once(text, params, signal);
        throw error;
      }),
  };
}
