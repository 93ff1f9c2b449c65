/** Takes jobs for the free lanes of this replica: those that are due, and those that nobody runs any more. */
import type { Database } from "#lib/drivers/db/database.ts";
import { refusesWrites } from "#lib/drivers/db/faults.ts";
import { Fault, messageOf } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { type Candidate, findOrphans, type Known, readBeats, takeOver, unlessTaken } from "#lib/jobs/claim.ts";
import { aboutJob, placeOfJob } from "#lib/jobs/job.ts";
import { lookForWork, recallLanes } from "#lib/jobs/look.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { passOver, start } from "#lib/scheduler/outcomes.ts";
import type { Retry } from "#lib/scheduler/reports.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import type { Runs } from "#lib/scheduler/runs.ts";
import type { Listener } from "#lib/scheduler/silence.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

/** What takes the jobs. */
export interface Taker {
  readonly replicaId: string;
  readonly db: Database;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly known: Known;
  readonly handlerOf: (job: { readonly kind: string; readonly plan: number }) => Handler;
  readonly runs: Runs;
  readonly retry: Retry | undefined;
}

const RECALL_EVERY = 10 * SECOND;

/**
 * Calls lanes that nothing leads to, though they have work: a net below the triggers that call them. Returns whether there
 * were any. It never throws: what only makes sure must not keep a replica from its work.
 */
export function openRecall({ db, log, known }: Pick<Taker, "db" | "log" | "known">): () => Promise<boolean> {
  let after = "", dueAt = -Infinity;
  return async () => {
    if (performance.now() < dueAt) return false;
    dueAt = performance.now() + RECALL_EVERY;
    try {
      const { added, last } = await recallLanes(db.rows, known, after);
      after = last;
      if (added > 0) log.warn("Called lanes that had work and no call", { lanes: added });
      return added > 0;
    } catch (error) {
      log.warn("Cannot look for lanes that have work and no call; trying again", { reason: messageOf(error) });
      return false;
    }
  };
}

/** Returns the milliseconds until a job is due, or null while that is unknown. The end of a run looks again by itself. */
export async function claimDue(taker: Taker, tenure: Tenure): Promise<number | null> {
  const { replicaId, db, known, runs } = taker;
  for (;;) {
    const free = runs.free();
    if (free <= 0) return null;
    tenure.check();
    const look = await unlessTaken(lookForWork(db.rows, { known, holder: replicaId, most: free }));
    if (!look) continue;
    for (const job of look.started) runs.begin(taker.handlerOf(job), job, tenure);
    if (look.others) await db.transact((tx) => Promise.resolve(tx.wakes.add("jobs")));
    let claimed = 0;
    for (const candidate of look.candidates) {
      if (runs.free() <= 0) return null;
      if (await claim(taker, candidate, tenure)) claimed++;
    }
    const lost = claimed > 0 && claimed < look.candidates.length;
    if (!look.more && !lost) return look.wait;
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
    const { id: operation, kind } = candidate, { traceId } = placeOfJob(candidate, () => false);
    const about = { operation, kind, traceId };
    log[passing ? "warn" : "error"]("Cannot start a job", { ...about, error });
    if (passing) return false;
    await passOver(db, handler, candidate, known, { holder: replicaId, retry: taker.retry })
      .catch((worse) => log.error("Cannot set a job aside", { ...about, error: worse }));
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
  const { replicaId, db, log, telemetry, known, runs } = taker;
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
    telemetry.record("takeover", {});
    log.warn("Took over a job that nobody ran", { ...aboutJob(job), fence: job.fence });
    runs.begin(taker.handlerOf(job), job, tenure);
  }
}
