/**
 * Claims jobs from the database and runs them, up to a maximum number at the same time. Claims are triggered by new
 * jobs, timers (rounds.ts) and heartbeats (replica.ts).
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { App } from "#lib/app.ts";
import { recordChange } from "#lib/changes/record.ts";
import { readDatabaseHold } from "#lib/installation/database-hold.ts";
import { createId } from "#lib/base/ids.ts";
import { listSupportedJobKinds } from "#lib/jobs/claim.ts";
import { cancelOutdatedJobs } from "#lib/jobs/store.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { canStartInOneStatement, createRecurringJob } from "#lib/scheduler/job-changes.ts";
import { openReplica, type ReplicaLease } from "#lib/scheduler/replica.ts";
import { openClaimRounds } from "#lib/scheduler/rounds.ts";
import type { RunnerOptions } from "#lib/scheduler/runner.ts";
import { openRunPool } from "#lib/scheduler/run-pool.ts";
import { createSilenceDetector } from "#lib/scheduler/silence.ts";
import { ReplicaDrainingError } from "#lib/scheduler/stop-reasons.ts";
import {
  claimDueJobs,
  createMissedLanesCheck,
  type TakeJobsContext,
  takeOverOrphanedJobs,
} from "#lib/scheduler/take-jobs.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND, withTimeout } from "#lib/base/time.ts";

/** The maximum number of jobs of separate kinds (JobRules) that run at the same time. They use none of the `lanes`. */
const SEPARATE_LANES = 32;
const RELEASE_TIMEOUT = 5 * SECOND; // milliseconds after the grace period to stop and requeue the jobs

export interface SchedulerOptions {
  /** The handlers of this replica. A job kind may have several: each job keeps the plan (steps) it was created with. */
  readonly handlers: readonly JobHandler[];
  /** The maximum number of jobs that run at the same time. */
  readonly lanes: number;
  readonly replicaId?: string;
  readonly retry?: RunnerOptions["retry"];
  readonly telemetry?: Telemetry;
}

export interface Scheduler {
  readonly replicaId: string;
  /** Whether heartbeats arrive on time and the last attempt to claim jobs succeeded. */
  ready(): boolean;
  running(): number;
  /**
   * Stops claiming jobs and gives running steps `graceMs` milliseconds to finish, then requeues the remaining jobs
   * within 5 s. Heartbeats continue until `close`. An unavailable database does not delay the shutdown.
   */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function openScheduler(
  app: Pick<App, "db" | "log" | "release">,
  { handlers, lanes, retry, telemetry = NO_TELEMETRY, replicaId = createId("rep") }: SchedulerOptions,
): Promise<Scheduler> {
  const { db } = app;
  const log = app.log.with({ replica: replicaId });
  let leaseWithoutHold: ReplicaLease | null = null; // the lease in which the database was found to be not held
  const kinds = handlers.map(({ kind }) => kind);
  await db.transact(async (tx) => {
    const repeatedKinds = kinds.filter((kind) => kind.repeatEvery !== undefined);
    await cancelOutdatedJobs(tx, repeatedKinds);
    await recordChange(tx, SYSTEM_REQUESTER, { jobs: repeatedKinds.map((kind) => createRecurringJob(kind)) });
  });

  const byPlan = new Map(handlers.map((handler) => [planKeyOf(handler.kind), handler]));
  const runnerOptions = { db, log, telemetry, ...(retry && { retry }) };
  const { control } = db, { version: release } = app.release;
  const replica = openReplica({ id: replicaId, release, control, log, onHeartbeat: () => rounds.onHeartbeat() });
  const silenceDetector = createSilenceDetector();
  const createGroup = (own: readonly JobHandler[], lanes: number): TakeJobsContext => ({
    replicaId,
    db,
    log,
    telemetry,
    kinds: listSupportedJobKinds(
      own.map(({ kind }) => kind),
      own.filter(canStartInOneStatement).map(({ kind }) => kind),
    ),
    findHandler: (job) => byPlan.get(planKeyOf(job))!,
    runs: openRunPool(runnerOptions, lanes, () => rounds.requestClaim()),
    retry,
  });
  const usual = createGroup(handlers.filter(({ kind }) => !kind.separate), lanes);
  const separate = handlers.filter(({ kind }) => kind.separate);
  // The other jobs come first, so that their polls remove the marks that do not name a kind.
  const groups = separate.length === 0 ? [usual] : [usual, createGroup(separate, SEPARATE_LANES)];
  const markMissed = groups.map(createMissedLanesCheck);
  const rounds = openClaimRounds({
    log,
    currentLease: replica.currentLease,
    async claim(lease) {
      if (await isDatabaseHeld(lease)) return null;
      let wait = Infinity, someMissed = false;
      for (const [i, group] of groups.entries()) {
        wait = Math.min(wait, await claimDueJobs(group, lease) ?? Infinity);
        someMissed = await markMissed[i]!() || someMissed;
      }
      return someMissed ? 0 : Number.isFinite(wait) ? wait : null;
    },
    async takeOver(lease, onNextSilence) {
      if (await isDatabaseHeld(lease)) return;
      for (const group of groups) await takeOverOrphanedJobs(group, silenceDetector, lease, onNextSilence);
    },
  });

  /**
   * Whether jobs must not run, because the database was restored from a backup and is still held. Once jobs may run,
   * the result is cached until this replica's lease ends, because another restore of the database also ends the lease.
   */
  async function isDatabaseHeld(lease: ReplicaLease): Promise<boolean> {
    if (leaseWithoutHold !== lease && await readDatabaseHold(db.rows) === null) leaseWithoutHold = lease;
    return leaseWithoutHold !== lease;
  }

  const runningIds = () => groups.flatMap(({ runs }) => runs.ids());
  const unsubscribe = db.wakeups.subscribe("jobs", rounds.requestClaim);
  rounds.requestClaim();

  async function drain(graceMs: number): Promise<void> {
    unsubscribe();
    const end = performance.now() + graceMs, ended = rounds.close();
    const pools = groups.map(({ runs }) => runs);
    const waitForEnd = async (limit: number) =>
      (await Promise.all(pools.map((runs) => runs.waitForEnd(limit)))).every(Boolean);
    for (const runs of pools) runs.stopAfterStep();
    await withTimeout(graceMs, ended); // a round may wait for the database
    if (await waitForEnd(Math.max(0, end - performance.now()))) return;
    for (const runs of pools) runs.stop(new ReplicaDrainingError());
    if (!await waitForEnd(RELEASE_TIMEOUT)) log.warn("Some jobs could not be requeued", { jobs: runningIds() });
  }

  return {
    replicaId,
    ready: () => rounds.healthy() && replica.currentLease() !== null,
    running: () => runningIds().length,
    drain,
    async close() {
      await drain(0);
      for (const { runs } of groups) runs.close();
      await replica.close();
    },
  };
}

/** Returns a key that identifies a handler by job kind and plan version. */
function planKeyOf({ kind, plan }: { readonly kind: string; readonly plan: number }): string {
  return `${kind}@${plan}`;
}
