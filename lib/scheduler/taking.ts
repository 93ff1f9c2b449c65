/** Takes jobs for the free lanes of this replica: those that are due, and those that nobody runs any more. */
import type { Database } from "#lib/drivers/db/database.ts";
import { refusesWrites } from "#lib/drivers/db/faults.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import {
  type Candidate,
  findDue,
  findOrphans,
  type Known,
  readBeats,
  takeOver,
  untilNextDue,
} from "#lib/records/jobs/claim.ts";
import { aboutJob } from "#lib/records/jobs/job.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { start } from "#lib/scheduler/outcomes.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import type { Runs } from "#lib/scheduler/runs.ts";
import type { Listener } from "#lib/scheduler/silence.ts";

/** What takes the jobs. */
export interface Taker {
  readonly replicaId: string;
  readonly db: Database;
  readonly log: Log;
  readonly known: Known;
  readonly handlerOf: (job: { readonly kind: string; readonly plan: number }) => Handler;
  readonly runs: Runs;
}

/** Returns the milliseconds until a job is due, or null while that is unknown. The end of a run looks again by itself. */
export async function claimDue(taker: Taker, tenure: Tenure): Promise<number | null> {
  const { db, known, runs } = taker;
  for (;;) {
    const free = runs.free();
    if (free <= 0) return null;
    const due = await findDue(db.rows, known, free);
    let claimed = 0;
    for (const candidate of due) {
      if (runs.free() <= 0) return null;
      if (await claim(taker, candidate, tenure)) claimed++;
    }
    if (claimed === 0) return await untilNextDue(db.rows, known);
  }
}

async function claim(taker: Taker, candidate: Candidate, tenure: Tenure): Promise<boolean> {
  const { replicaId, db, log, known, runs } = taker;
  tenure.check();
  const handler = taker.handlerOf(candidate);
  try {
    const job = await start(db, handler, candidate, known, replicaId);
    if (job) runs.begin(handler, job, tenure);
    return job !== null;
  } catch (error) {
    if (refusesWrites(error)) throw error; // and so it would each of the others
    const passing = error instanceof Fault && error.kind === "unavailable";
    log[passing ? "warn" : "error"]("Cannot start a job", { operation: candidate.id, kind: candidate.kind, error });
    return false;
  }
}

/**
 * Takes over what nobody runs any more: what this replica had to let go of, and what silent ones hold. `onHeard` is told
 * how long it may be until another is silent.
 */
export async function rescue(
  taker: Taker,
  others: Listener,
  tenure: Tenure,
  onHeard: (wait: number | null) => void,
): Promise<void> {
  const { replicaId, db, log, known, runs } = taker;
  const askedAt = performance.now();
  const silent = others.hear(tenure, await readBeats(db.rows, replicaId), askedAt);
  onHeard(others.patience());
  const most = runs.free();
  if (most <= 0) return;
  const by = { holder: replicaId, silent };
  for (const orphan of await findOrphans(db.rows, known, { ...by, running: runs.ids(), most })) {
    if (runs.free() <= 0) return;
    tenure.check();
    const job = await db.transact((tx) => takeOver(tx, orphan, by));
    if (!job) continue;
    log.warn("Took over a job that nobody ran", { ...aboutJob(job), fence: job.fence });
    runs.begin(taker.handlerOf(job), job, tenure);
  }
}
