/**
 * Sends this replica's heartbeat every second. Ends the replica's lease (the right to run jobs) if heartbeats are late.
 *
 * This replica stops its jobs 2.5 s after it sent its last successful heartbeat. Other replicas take over its jobs
 * after 4 s without a heartbeat (silence.ts), so no job runs on two replicas at the same time.
 *
 * Time is measured with the monotonic clock and also with the wall clock, because the monotonic clock stops while a
 * virtual machine is suspended.
 */
import type { ControlConnection } from "#lib/drivers/db/database.ts";
import type { Log } from "#lib/base/log.ts";
import { LeaseLapsedError } from "#lib/scheduler/stop-reasons.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const HEARTBEAT_INTERVAL = 1 * SECOND;
const HEARTBEAT_RETRY = 200; // milliseconds after a failed heartbeat; a broken control connection is replaced quickly
const LEASE_DURATION = 2.5 * SECOND;

/** A period in which every heartbeat of this replica was on time, so that the replica may run jobs. */
export interface ReplicaLease {
  /** Aborts with LeaseLapsed when the lease ends. */
  readonly signal: AbortSignal;
  /** Throws LeaseLapsedError if the lease has ended, even if `signal` has not been aborted yet. */
  throwIfLapsed(): void;
}

export interface Replica {
  readonly id: string;
  /** Returns the current lease, or null while heartbeats fail. */
  currentLease(): ReplicaLease | null;
  /** Stops sending heartbeats and records in the database that this replica has stopped. */
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly id: string;
  readonly release: string;
  readonly control: ControlConnection;
  readonly log: Log;
  readonly onHeartbeat: () => void;
}

/** The time when a heartbeat was sent, in milliseconds, on the monotonic clock and on the wall clock. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

interface HeartbeatResult {
  /** Whether the heartbeat inserted a new row for this replica. */
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

  /** Writes a heartbeat to the replica's row, and inserts the row if it is missing. */
  async function sendHeartbeat(): Promise<HeartbeatResult> {
    const [row] = await control.query(
      `insert into replicas (id, release) values ($1, $2)
       on conflict (id) do update set heartbeat_at = wheelwright_now(), stopped_at = null
       returning xmax::text = '0' as made`,
      [id, release],
    );
    return { isNew: row?.made === true };
  }

  function onFailed(error: unknown): null {
    if (!failing && !end.signal.aborted) log.warn("Cannot send a heartbeat; trying again", { replica: id, error });
    failing = true;
    return null;
  }

  function onWritten(sentAt: Moment, { isNew }: HeartbeatResult): void {
    if (failing) log.info("Sending heartbeats again", { replica: id });
    failing = false;
    lapseIfLate(); // a late reply must not extend a lapsed lease
    if (isNew && lease) endLease(lease); // the database was replaced by a restored one
    heartbeatAt = sentAt;
    lease ??= openLease();
    scheduleLapse();
    onHeartbeat();
  }

  /** Ends the lease if heartbeats are late. Otherwise sets a timer to check again, because timers may fire early. */
  function scheduleLapse(): void {
    clearTimeout(lapseTimer);
    lapseIfLate();
    if (lease) lapseTimer = setTimeout(scheduleLapse, Math.max(0, LEASE_DURATION - elapsedSince(heartbeatAt)) + 1);
  }

  function lapseIfLate(): void {
    if (lease && elapsedSince(heartbeatAt) > LEASE_DURATION) endLease(lease);
  }

  function endLease(ended: OwnLease): void {
    log.warn("Stopped all jobs: this replica's lease ended, so other replicas may take over", { replica: id });
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
        stop.abort(new LeaseLapsedError());
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
        .catch((error) => log.warn("Cannot record that this replica stopped", { replica: id, error }));
    },
  };
}

function elapsedSince({ steady, wall }: Moment): number {
  return Math.max(performance.now() - steady, Date.now() - wall);
}
