/**
 * Takes jobs and has them run: as many at once as it has lanes for, woken by each enqueueing, by the clock (rounds.ts)
 * and by its own beats (replica.ts). Rows are the truth.
 */
import { SYSTEM } from "#lib/audit/asker.ts";
import type { App } from "#lib/app.ts";
import { record } from "#lib/changes/record.ts";
import { readHold } from "#lib/installation/held.ts";
import { newId } from "#lib/base/ids.ts";
import { knownKinds } from "#lib/jobs/claim.ts";
import { retireOlderPlans } from "#lib/jobs/store.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { repetition, startsPlain } from "#lib/scheduler/outcomes.ts";
import { openReplica, type Tenure } from "#lib/scheduler/replica.ts";
import { openRounds } from "#lib/scheduler/rounds.ts";
import type { RunnerOptions } from "#lib/scheduler/runner.ts";
import { openRuns } from "#lib/scheduler/runs.ts";
import { openListener } from "#lib/scheduler/silence.ts";
import { Draining } from "#lib/scheduler/stops.ts";
import { claimDue, openRecall, rescue, type Taker } from "#lib/scheduler/taking.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND, withTimeout } from "#lib/base/time.ts";

const GIVE_BACK = 5 * SECOND; // after the grace: to stop, and to write that the job is free

export interface SchedulerOptions {
  /** What this replica can do. A kind may stand here with several plans: what an older release began is ended by its own. */
  readonly handlers: readonly Handler[];
  /** Jobs that run here at once. */
  readonly lanes: number;
  readonly replicaId?: string;
  readonly retry?: RunnerOptions["retry"];
  readonly telemetry?: Telemetry;
}

export interface Scheduler {
  readonly replicaId: string;
  /** Whether it beats, and its last look at the queue was answered. */
  ready(): boolean;
  /** Jobs that run here. */
  running(): number;
  /**
   * Takes no more jobs, lets each step under way end within the grace, and releases the others within 5 s. Sends
   * heartbeats until the end. A database that does not answer delays nothing.
   */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function openScheduler(
  app: Pick<App, "db" | "log" | "release">,
  { handlers, lanes, retry, telemetry = NO_TELEMETRY, replicaId = newId("rep") }: SchedulerOptions,
): Promise<Scheduler> {
  const { db } = app;
  const log = app.log.with({ replica: replicaId });
  let free: Tenure | null = null; // in which the database was seen not to be held
  const kinds = handlers.map(({ kind }) => kind);
  await db.transact(async (tx) => {
    const repeated = kinds.filter((kind) => kind.repeatEvery !== undefined);
    await retireOlderPlans(tx, repeated);
    await record(tx, SYSTEM, { jobs: repeated.map((kind) => repetition(kind)) });
  });

  const byPlan = new Map(handlers.map((handler) => [nameOf(handler.kind), handler]));
  const runs = openRuns({ db, log, telemetry, ...(retry && { retry }) }, lanes, () => rounds.claim());
  const { control } = db, { version: release } = app.release;
  const replica = openReplica({ id: replicaId, release, control, log, onBeat: () => rounds.onBeat() });
  const others = openListener();
  const taker: Taker = {
    replicaId,
    db,
    log,
    telemetry,
    known: knownKinds(kinds, handlers.filter(startsPlain).map(({ kind }) => kind)),
    handlerOf: (job) => byPlan.get(nameOf(job))!,
    runs,
    retry,
  };
  const recall = openRecall(taker);
  const rounds = openRounds({
    log,
    tenure: replica.tenure,
    async claim(tenure) {
      if (await isHeld(tenure)) return null;
      const wait = await claimDue(taker, tenure);
      return await recall() ? 0 : wait;
    },
    async rescue(tenure, onHeard) {
      if (!await isHeld(tenure)) await rescue(taker, others, tenure, onHeard);
    },
  });

  /** Asked until it is not, and anew after a time without beats: another database may be there since, which was restored. */
  async function isHeld(tenure: Tenure): Promise<boolean> {
    if (free !== tenure && await readHold(db.rows) === null) free = tenure;
    return free !== tenure;
  }

  const unsubscribe = db.wakeups.subscribe("jobs", rounds.claim);
  rounds.claim();

  async function drain(graceMs: number): Promise<void> {
    unsubscribe();
    const end = performance.now() + graceMs, ended = rounds.close();
    runs.leave();
    await withTimeout(graceMs, ended); // a round waits for the database
    if (await runs.ended(Math.max(0, end - performance.now()))) return;
    runs.stop(new Draining());
    if (!await runs.ended(GIVE_BACK)) log.warn("Some jobs could not be given back", { jobs: runs.ids() });
  }

  return {
    replicaId,
    ready: () => rounds.healthy() && replica.tenure() !== null,
    running: () => runs.ids().length,
    drain,
    async close() {
      await drain(0);
      runs.close();
      await replica.close();
    },
  };
}

/** A job goes to the handler of its own plan, not to the newest one of its kind. */
function nameOf({ kind, plan }: { readonly kind: string; readonly plan: number }): string {
  return `${kind}@${plan}`;
}
