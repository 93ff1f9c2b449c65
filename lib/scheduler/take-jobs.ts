/** Claims as many due jobs as this replica can run, and takes over orphaned jobs. */
import type { Database } from "#lib/drivers/db/database.ts";
import { isRefusedWriteError } from "#lib/drivers/db/faults.ts";
import { Fault, getErrorMessage } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import {
  catchClaimConflict,
  type ClaimableJob,
  findOrphanedJobs,
  readReplicaHeartbeats,
  type SupportedJobKinds,
  takeOverJob,
} from "#lib/jobs/claim.ts";
import { createJobTrace, getJobLogFields } from "#lib/jobs/job.ts";
import { markMissedLanes, pollJobQueue } from "#lib/jobs/poll.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { deferUnstartableJob, startJob } from "#lib/scheduler/job-changes.ts";
import type { RetryDelays } from "#lib/scheduler/reports.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import type { RunPool } from "#lib/scheduler/run-pool.ts";
import type { SilenceDetector } from "#lib/scheduler/silence.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

export interface TakeJobsContext {
  readonly replicaId: string;
  readonly db: Database;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly kinds: SupportedJobKinds;
  readonly findHandler: (job: { readonly kind: string; readonly plan: number }) => JobHandler;
  readonly runs: RunPool;
  readonly retry: RetryDelays | undefined;
}

const MISSED_LANES_INTERVAL = 10 * SECOND;

/**
 * Creates a check that finds lanes (queues) that have a startable job but were not marked as ready by the database
 * triggers. The check marks these lanes as ready and returns whether it found any. The check never throws, because its
 * failure must not stop the replica.
 */
export function createMissedLanesCheck(
  { db, log, kinds }: Pick<TakeJobsContext, "db" | "log" | "kinds">,
): () => Promise<boolean> {
  let after = "", dueAt = -Infinity;
  return async () => {
    if (performance.now() < dueAt) return false;
    dueAt = performance.now() + MISSED_LANES_INTERVAL;
    try {
      const { added, last } = await markMissedLanes(db.rows, kinds, after);
      after = last;
      if (added > 0) log.warn("Marked lanes (queues) as ready that database triggers had missed", { lanes: added });
      return added > 0;
    } catch (error) {
      log.warn("Cannot check for lanes that the database triggers missed; trying again", {
        reason: getErrorMessage(error),
      });
      return false;
    }
  };
}

/** Claims and starts due jobs. Returns the milliseconds until the next job is due, or null if unknown. */
export async function claimDueJobs(context: TakeJobsContext, lease: ReplicaLease): Promise<number | null> {
  const { replicaId, db, kinds, runs } = context;
  for (;;) {
    const free = runs.freeSlots();
    if (free <= 0) return null;
    lease.throwIfLapsed();
    const result = await catchClaimConflict(
      pollJobQueue(db.rows, { supported: kinds, holder: replicaId, limit: free }),
    );
    if (!result) continue;
    for (const job of result.started) runs.start(context.findHandler(job), job, lease);
    if (result.wakeOthers) await db.transact((tx) => Promise.resolve(tx.wakes.add("jobs")));
    let claimed = 0;
    for (const candidate of result.candidates) {
      if (runs.freeSlots() <= 0) return null;
      if (await startCandidate(context, candidate, lease)) claimed++;
    }
    const someLost = claimed > 0 && claimed < result.candidates.length;
    if (!result.hasMore && !someLost) return result.waitMs;
  }
}

async function startCandidate(
  context: TakeJobsContext,
  candidate: ClaimableJob,
  lease: ReplicaLease,
): Promise<boolean> {
  const { replicaId, db, log, kinds, runs } = context;
  lease.throwIfLapsed();
  const handler = context.findHandler(candidate);
  try {
    const job = await startJob(db, handler, candidate, kinds, replicaId);
    if (job) runs.start(handler, job, lease);
    return job !== null;
  } catch (error) {
    if (isRefusedWriteError(error)) throw error; // other jobs would fail in the same way
    const isTransient = error instanceof Fault && error.kind === "unavailable";
    const { id: operation, kind } = candidate, { traceId } = createJobTrace(candidate, () => false);
    const logFields = { operation, kind, traceId };
    log[isTransient ? "warn" : "error"]("Cannot start a job", { ...logFields, error });
    if (isTransient) return false;
    await deferUnstartableJob(db, handler, candidate, kinds, { holder: replicaId, retry: context.retry })
      .catch((skipError) => log.error("Cannot requeue a job that failed to start", { ...logFields, error: skipError }));
    return false;
  }
}

/**
 * Takes over jobs from replicas that have stopped responding, and jobs that this replica had to release. Calls
 * `onNextSilence` with the milliseconds until another replica may count as stopped.
 */
export async function takeOverOrphanedJobs(
  context: TakeJobsContext,
  detector: SilenceDetector,
  lease: ReplicaLease,
  onNextSilence: (wait: number | null) => void,
): Promise<void> {
  const { replicaId, db, log, telemetry, kinds, runs } = context;
  const queriedAt = performance.now();
  const silent = detector.findSilent(lease, await readReplicaHeartbeats(db.rows, replicaId), queriedAt);
  onNextSilence(detector.nextSilenceIn());
  const limit = runs.freeSlots();
  if (limit <= 0) return;
  const takeover = { holder: replicaId, silent };
  for (const orphan of await findOrphanedJobs(db.rows, kinds, { ...takeover, running: runs.ids(), most: limit })) {
    if (runs.freeSlots() <= 0) return;
    lease.throwIfLapsed();
    const job = await db.transact((tx) => takeOverJob(tx, orphan, takeover));
    if (!job) continue;
    telemetry.record("takeover", {});
    log.warn("Took over an orphaned job", { ...getJobLogFields(job), fence: job.fence });
    runs.start(context.findHandler(job), job, lease);
  }
}
