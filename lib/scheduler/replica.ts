/**
 * This replica among the others: it beats once a second, and knows for how long it may rely on that.
 *
 * Others take its jobs when they have seen no new beat in its row for 4 s (silence.ts). It stops by itself 2.5 s after
 * it sent the last beat that succeeded, by its own clock that nobody sets: so it has stopped before anybody begins. A
 * process that was stopped and goes on finds out at its next look, before its next call, whichever timer fires first.
 * That clock stands still while a virtual machine is suspended, so the one on the wall is asked too: if it was set
 * forward, this replica lets go of its jobs for nothing and takes them again, and nothing worse.
 */
import type { Control } from "#lib/drivers/db/database.ts";
import type { Log } from "#lib/base/log.ts";
import { Lapsed } from "#lib/scheduler/stops.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const BEAT_EVERY = 1 * SECOND;
const BEAT_AGAIN = 200; // after one that failed: the control connection is replaced within a moment
const TRUST = 2.5 * SECOND;

/** A time in which this replica beat without a break. */
export interface Tenure {
  /** Aborts with Lapsed. */
  readonly signal: AbortSignal;
  /** Throws Lapsed if the time is over, even if no timer has had its turn to notice. */
  check(): void;
}

export interface Replica {
  readonly id: string;
  /** The present tenure, or null while it does not beat. */
  tenure(): Tenure | null;
  /** Stops beating, and says so in its row. */
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly id: string;
  readonly release: string;
  readonly control: Control;
  readonly log: Log;
  readonly onBeat: () => void;
}

/** When a beat was sent, by both clocks. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

interface Beaten {
  /** Whether this replica had no row before. */
  readonly made: boolean;
}

interface Reign extends Tenure {
  lapse(): void;
}

export function openReplica({ id, release, control, log, onBeat }: ReplicaOptions): Replica {
  const end = new AbortController();
  let reign: Reign | null = null;
  let beatAt: Moment = { steady: -Infinity, wall: -Infinity };
  let watch: ReturnType<typeof setTimeout> | undefined;
  let failing = false;
  const ended = run();

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      const sentAt = { steady: performance.now(), wall: Date.now() };
      const row = await beat().catch(onFailed), ok = row !== null;
      if (end.signal.aborted) break;
      if (row) onAnswered(sentAt, row);
      const left = sentAt.steady + (ok ? BEAT_EVERY : BEAT_AGAIN) - performance.now();
      await sleep(Math.max(ok ? 0 : BEAT_AGAIN / 2, left), end.signal).catch(() => {});
    }
  }

  /** Also makes the row, at first and should it ever be gone: and tells whether it did. */
  async function beat(): Promise<Beaten> {
    const [row] = await control.query(
      `insert into replicas (id, release) values ($1, $2)
       on conflict (id) do update set beat_at = wheelwright_now(), stopped_at = null
       returning xmax::text = '0' as made`,
      [id, release],
    );
    return { made: row?.made === true };
  }

  function onFailed(error: unknown): null {
    if (!failing && !end.signal.aborted) log.warn("Cannot beat; trying again", { replica: id, error });
    failing = true;
    return null;
  }

  function onAnswered(sentAt: Moment, { made }: Beaten): void {
    if (failing) log.info("Beating again", { replica: id });
    failing = false;
    look(); // the answer to a beat must not hide that it came too late
    if (made && reign) leaveOff(reign); // nobody takes it away from who beats: another database is there, which was restored
    beatAt = sentAt;
    reign ??= openReign();
    keepWatch();
    onBeat();
  }

  /** A timer may fire a moment early, and would then have seen nothing: it is set again until the reign is over. */
  function keepWatch(): void {
    clearTimeout(watch);
    look();
    if (reign) watch = setTimeout(keepWatch, Math.max(0, TRUST - since(beatAt)) + 1);
  }

  function look(): void {
    if (reign && since(beatAt) > TRUST) leaveOff(reign);
  }

  function leaveOff(ended: Reign): void {
    log.warn("Stops all work: others may have taken it", { replica: id });
    ended.lapse();
  }

  function openReign(): Reign {
    const stop = new AbortController();
    const opened: Reign = {
      signal: stop.signal,
      check() {
        if (reign === opened) look();
        stop.signal.throwIfAborted();
      },
      lapse() {
        reign = null;
        stop.abort(new Lapsed());
      },
    };
    return opened;
  }

  return {
    id,
    tenure() {
      look();
      return reign;
    },
    async close() {
      end.abort();
      await ended;
      clearTimeout(watch);
      reign?.lapse();
      await control.query("update replicas set stopped_at = wheelwright_now() where id = $1", [id])
        .catch((error) => log.warn("Cannot write that this replica stopped", { replica: id, error }));
    },
  };
}

function since({ steady, wall }: Moment): number {
  return Math.max(performance.now() - steady, Date.now() - wall);
}
