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
import { LeaseLapsed } from "#lib/scheduler/stop-reasons.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const HEARTBEAT_INTERVAL = 1 * SECOND;
const HEARTBEAT_RETRY = 200; // after one that failed: the control connection is replaced within a moment
const LEASE_DURATION = 2.5 * SECOND;

/** A time in which this replica beat without a break. */
export interface ReplicaLease {
  /** Aborts with Lapsed. */
  readonly signal: AbortSignal;
  /** Throws Lapsed if the time is over, even if no timer has had its turn to notice. */
  throwIfLapsed(): void;
}

export interface Replica {
  readonly id: string;
  /** The present tenure, or null while it does not beat. */
  currentLease(): ReplicaLease | null;
  /** Stops beating, and says so in its row. */
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly id: string;
  readonly release: string;
  readonly control: Control;
  readonly log: Log;
  readonly onHeartbeat: () => void;
}

/** When a beat was sent, by both clocks. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

interface HeartbeatResult {
  /** Whether this replica had no row before. */
  readonly isNew: boolean;
}

interface OwnLease extends ReplicaLease {
  lapse(): void;
}

export function openReplica({ id, release, control, log, onHeartbeat }: ReplicaOptions): Replica {
  const end = new AbortController();
  let lease: OwnLease | null = null;
  let heartbeatAt: Moment = { steady: -Infinity, wall: -Infinity };
  let lapseTimer: ReturnType<typeof setTimeout> | undefined;
  let failing = false;
  const ended = sendHeartbeats();

  async function sendHeartbeats(): Promise<void> {
    while (!end.signal.aborted) {
      const sentAt = { steady: performance.now(), wall: Date.now() };
      const row = await sendHeartbeat().catch(onFailed), ok = row !== null;
      if (end.signal.aborted) break;
      if (row) onWritten(sentAt, row);
      const left = sentAt.steady + (ok ? HEARTBEAT_INTERVAL : HEARTBEAT_RETRY) - performance.now();
      await sleep(Math.max(ok ? 0 : HEARTBEAT_RETRY / 2, left), end.signal).catch(() => {});
    }
  }

  /** Also makes the row, at first and should it ever be gone: and tells whether it did. */
  async function sendHeartbeat(): Promise<HeartbeatResult> {
    const [row] = await control.query(
      `insert into replicas (id, release) values ($1, $2)
       on conflict (id) do update set beat_at = wheelwright_now(), stopped_at = null
       returning xmax::text = '0' as made`,
      [id, release],
    );
    return { isNew: row?.made === true };
  }

  function onFailed(error: unknown): null {
    if (!failing && !end.signal.aborted) log.warn("Cannot beat; trying again", { replica: id, error });
    failing = true;
    return null;
  }

  function onWritten(sentAt: Moment, { isNew: made }: HeartbeatResult): void {
    if (failing) log.info("Beating again", { replica: id });
    failing = false;
    lapseIfLate(); // the answer to a beat must not hide that it came too late
    if (made && lease) endLease(lease); // nobody takes it away from who beats: another database is there, which was restored
    heartbeatAt = sentAt;
    lease ??= openLease();
    scheduleLapse();
    onHeartbeat();
  }

  /** A timer may fire a moment early, and would then have seen nothing: it is set again until the reign is over. */
  function scheduleLapse(): void {
    clearTimeout(lapseTimer);
    lapseIfLate();
    if (lease) lapseTimer = setTimeout(scheduleLapse, Math.max(0, LEASE_DURATION - elapsedSince(heartbeatAt)) + 1);
  }

  function lapseIfLate(): void {
    if (lease && elapsedSince(heartbeatAt) > LEASE_DURATION) endLease(lease);
  }

  function endLease(ended: OwnLease): void {
    log.warn("Stops all work: others may have taken it", { replica: id });
    ended.lapse();
  }

  function openLease(): OwnLease {
    const stop = new AbortController();
    const opened: OwnLease = {
      signal: stop.signal,
      throwIfLapsed() {
        if (lease === opened) lapseIfLate();
        stop.signal.throwIfAborted();
      },
      lapse() {
        lease = null;
        stop.abort(new LeaseLapsed());
      },
    };
    return opened;
  }

  return {
    id,
    currentLease() {
      lapseIfLate();
      return lease;
    },
    async close() {
      end.abort();
      await ended;
      clearTimeout(lapseTimer);
      lease?.lapse();
      await control.query("update replicas set stopped_at = wheelwright_now() where id = $1", [id])
        .catch((error) => log.warn("Cannot write that this replica stopped", { replica: id, error }));
    },
  };
}

function elapsedSince({ steady, wall }: Moment): number {
  return Math.max(performance.now() - steady, Date.now() - wall);
}
