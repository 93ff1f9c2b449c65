/**
 * Takes jobs and has them run: as many at once as it has lanes for, woken by whoever enqueues, by the clock when a
 * job's time has come, and by a slow look at the queue in case a wake-up was missed. Rows are the truth.
 */
import { SYSTEM } from "#lib/records/audit/asker.ts";
import type { App } from "#lib/app.ts";
import { record } from "#lib/records/changes/record.ts";
import { refusesWrites } from "#lib/drivers/db/faults.ts";
import { Fault, messageOf } from "#lib/base/errors.ts";
import { newId } from "#lib/base/ids.ts";
import {
  type Candidate,
  findDue,
  findOrphans,
  knownKinds,
  type Orphan,
  readBeats,
  type Takeover,
  takeOver,
  untilNextDue,
} from "#lib/records/jobs/claim.ts";
import { aboutJob, type Job } from "#lib/records/jobs/job.ts";
import { retireOlderPlans } from "#lib/records/jobs/store.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { repetition, start } from "#lib/scheduler/outcomes.ts";
import { openReplica, type Tenure } from "#lib/scheduler/replica.ts";
import { type RunnerOptions, type Running, startRun } from "#lib/scheduler/runner.ts";
import { openListener } from "#lib/scheduler/silence.ts";
import { Draining } from "#lib/scheduler/stops.ts";
import { openWatch } from "#lib/scheduler/watch.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const POLL = 5 * SECOND;
const GIVE_BACK = 5 * SECOND; // after the grace: to stop, and to write that the job is free

export interface SchedulerOptions {
  /** What this replica can do. A kind may stand here with several plans: what an older release began is ended by its own. */
  readonly handlers: readonly Handler[];
  /** Jobs that run here at once. */
  readonly lanes: number;
  readonly replicaId?: string;
  readonly retry?: RunnerOptions["retry"];
}

export interface Scheduler {
  readonly replicaId: string;
  /** Whether it beats, and its last look at the queue was answered. */
  ready(): boolean;
  /** Takes no more jobs, lets each step under way end within the grace, and gives the rest back. Beats until the end. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function openScheduler(
  app: Pick<App, "db" | "log" | "release">,
  options: SchedulerOptions,
): Promise<Scheduler> {
  const { db } = app;
  const { lanes, handlers: all } = options;
  const replicaId = options.replicaId ?? newId("rep");
  const log = app.log.with({ replica: replicaId });
  const handlers = new Map(all.map((handler) => [nameOf(handler.kind), handler]));
  const known = knownKinds(all.map(({ kind }) => kind));
  const running = new Map<string, Running>();
  const runner: RunnerOptions = { db, log, ...(options.retry && { retry: options.retry }) };
  let open = true;
  let healthy = false;
  let complaint: string | null = null; // what the last look failed with
  let timer: ReturnType<typeof setTimeout> | undefined;
  let rescueTimer: ReturnType<typeof setTimeout> | undefined;
  const others = openListener();
  let looking: Promise<void> | null = null;
  let again = false;
  let beaten = false;

  const repeated = all.map(({ kind }) => kind).filter((kind) => kind.repeatEvery !== undefined);
  await db.transact(async (tx) => {
    await retireOlderPlans(tx, repeated);
    await record(tx, SYSTEM, { jobs: repeated.map((kind) => repetition(kind)) });
  });
  const watch = openWatch({ db, log, running });
  const replica = openReplica({ id: replicaId, release: app.release.version, control: db.control, log, onBeat });
  const unsubscribe = db.wakeups.subscribe("jobs", look);
  look();

  function onBeat(): void {
    if (!healthy) again = true;
    lookForOrphans();
  }

  function lookForOrphans(): void {
    beaten = true;
    work();
  }

  /** Looks at the queue, now or as soon as the look under way is over. */
  function look(): void {
    again = true;
    work();
  }

  /** One thing after another: a job must not be claimed and missed among the running ones at the same time. */
  function work(): void {
    if (open) looking ??= workOn().finally(() => looking = null);
  }

  async function workOn(): Promise<void> {
    while (open && (again || beaten)) {
      const tenure = replica.tenure();
      const rescues = beaten, claims = again;
      beaten = again = false;
      let wait: number | null = null;
      try {
        if (tenure && rescues) await rescue(tenure);
        if (tenure && claims) wait = Math.min(POLL, await claimDue(tenure));
        healthy = tenure !== null;
        complaint = null;
      } catch (error) {
        healthy = false;
        wait = SECOND;
        log[messageOf(error) === complaint ? "debug" : "warn"]("Cannot look for work; trying again", { error });
        complaint = messageOf(error);
      }
      if (wait === null) continue;
      clearTimeout(timer);
      if (open) timer = setTimeout(look, wait);
    }
  }

  /** Returns the milliseconds until there may be more to do. */
  async function claimDue(tenure: Tenure): Promise<number> {
    for (;;) {
      const free = lanes - running.size;
      if (free <= 0) return POLL; // the end of a run looks again
      const due = await findDue(db.rows, known, free);
      let claimed = 0;
      for (const candidate of due) {
        if (!open) return POLL;
        if (await claim(candidate, tenure)) claimed++;
      }
      if (claimed === 0) return (await untilNextDue(db.rows, known)) ?? POLL;
    }
  }

  async function claim(candidate: Candidate, tenure: Tenure): Promise<boolean> {
    tenure.check();
    const handler = handlers.get(nameOf(candidate))!;
    try {
      const job = await start(db, handler, candidate, known, replicaId);
      if (job) begin(handler, job, tenure);
      return job !== null;
    } catch (error) {
      if (refusesWrites(error)) throw error; // and so it would each of the others
      const passing = error instanceof Fault && error.kind === "unavailable";
      log[passing ? "warn" : "error"]("Cannot start a job", { operation: candidate.id, kind: candidate.kind, error });
      return false;
    }
  }

  function begin(handler: Handler, job: Job, tenure: Tenure): void {
    log[job.visible ? "info" : "debug"]("Runs a job", {
      ...aboutJob(job),
      fence: job.fence,
      attempt: job.attempt,
    });
    const run = startRun(runner, handler, job, tenure);
    running.set(job.id, run);
    const unwatch = watch.follow(job.id);
    if (!open) run.leave();
    run.ended.catch((error) => log.error("A run ended badly", { ...aboutJob(job), error })).finally(() => {
      unwatch();
      if (running.get(job.id) === run) running.delete(job.id); // it may have been given back and taken again already
      look();
    });
  }

  /** Takes over what nobody runs any more: what this replica had to let go of, and what silent ones hold. */
  async function rescue(tenure: Tenure): Promise<void> {
    const askedAt = performance.now();
    const silent = others.hear(tenure, await readBeats(db.rows, replicaId), askedAt);
    listenAgain();
    const most = lanes - running.size;
    if (most <= 0) return;
    const by = { holder: replicaId, silent };
    const orphans = await findOrphans(db.rows, known, { ...by, running: [...running.keys()], most });
    for (const orphan of orphans) if (open) await adopt(orphan, by, tenure);
  }

  /** A silence that is over its time between two beats of ours is not left until the next. */
  function listenAgain(): void {
    const wait = others.patience();
    clearTimeout(rescueTimer);
    if (open && wait !== null && wait < SECOND) rescueTimer = setTimeout(lookForOrphans, Math.ceil(wait));
  }

  async function adopt(orphan: Orphan, by: Takeover, tenure: Tenure): Promise<void> {
    tenure.check();
    const job = await db.transact((tx) => takeOver(tx, orphan, by));
    if (!job) return;
    log.warn("Took over a job that nobody ran", { ...aboutJob(job), fence: job.fence });
    begin(handlers.get(nameOf(job))!, job, tenure);
  }

  async function stopClaiming(): Promise<void> {
    open = false;
    unsubscribe();
    clearTimeout(timer);
    clearTimeout(rescueTimer);
    for (const run of running.values()) run.leave(); // what is being claimed just now leaves as it begins
    await looking;
  }

  async function allEnded(limit: number): Promise<boolean> {
    const end = new AbortController();
    const ended = Promise.all([...running.values()].map((run) => run.ended)).then(() => true, () => true);
    const late = sleep(limit, end.signal).then(() => false, () => true);
    return await Promise.race([ended, late]).finally(() => end.abort());
  }

  async function drain(graceMs: number): Promise<void> {
    await stopClaiming();
    if (await allEnded(graceMs)) return;
    for (const run of running.values()) run.stop(new Draining());
    if (!await allEnded(GIVE_BACK)) log.warn("Some jobs could not be given back", { jobs: [...running.keys()] });
  }

  return {
    replicaId,
    ready: () => open && healthy && replica.tenure() !== null,
    drain,
    async close() {
      await drain(0);
      watch.close();
      await replica.close();
    },
  };
}

/** A job goes to the handler of its own plan, not to the newest one of its kind. */
function nameOf({ kind, plan }: { readonly kind: string; readonly plan: number }): string {
  return `${kind}@${plan}`;
}
