/**
 * Stops a site that is about to go: nobody is served any more, nothing is written any more, and files and database agree
 * when the last snapshot is taken of them. Claims that no pod uses do not hold the namespace up, either.
 *
 * Who asks for a removal gets it: a site that cannot be stopped is removed all the same, and that is noted. Each object
 * is changed under the fence of the run, so that a late call of an earlier operation cannot start the site again.
 */
import { CRON, DATABASE, MOODLE, SITE_PODS } from "#lib/moodle/names.ts";
import { ClusterError, type PatchOperation, type Ref, type Space } from "#lib/drivers/cluster/cluster.ts";
import { messageOf } from "#lib/base/errors.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { backoff, MINUTE, SECOND, sleep } from "#lib/base/time.ts";
import { patchFenced } from "#lib/workers/fenced.ts";
import { isOfGone } from "#lib/workers/same-cluster.ts";
import { JOB, note, type SpokeSite, waitingFor } from "#lib/workers/site.ts";

const TRIES = 3;
const MOST = 3 * MINUTE; // for the pods of one kind to end: six times their usual grace

export async function stopSite(site: SpokeSite, run: Run): Promise<void> {
  if (site.spoke.readyAt === null || site.holding.uid === null) return; // nobody has ever written anything into it
  const giveUp = (why: string) => note(run, [`The site was not stopped before it was removed: ${why}`]);
  for (let tries = Number(run.job.progress.stops ?? 0) + 1; tries <= TRIES; tries++) {
    await run.saveProgress({ stops: tries }); // also those that a holder did not live to see the end of
    try {
      return await stopAll(site.space, run);
    } catch (error) {
      run.signal.throwIfAborted();
      if (!(error instanceof ClusterError)) throw error;
      if (isOfGone(error)) return; // nothing of it is left to stop
      run.log.warn("Cannot stop a site that is to be removed", { error });
      if (!error.transient || error.code === "deadline" || tries === TRIES) return await giveUp(messageOf(error));
      await sleep(backoff(tries, SECOND, MINUTE), run.signal);
    }
  }
  await giveUp(`${TRIES} tries came to no end`);
}

/** Whatever of it is there: Jobs, Moodle, the database. */
export async function stopAll(space: Space, run: Run): Promise<void> {
  await patchIfThere(space, run, CRON, { op: "add", path: "/spec/suspend", value: true });
  // Whatever an operation that was called off has left behind, and scheduled tasks: nobody waits for them any more.
  for (const { metadata } of await space.list(JOB, "", run)) {
    await space.delete({ ...JOB, name: metadata.name }, metadata.uid!, run);
  }
  await patchIfThere(space, run, MOODLE, { op: "add", path: "/spec/replicas", value: 0 });
  await space.noPods("app=moodle", waitingFor(run, patience(run)));
  await patchIfThere(space, run, DATABASE, { op: "add", path: "/spec/replicas", value: 0 });
  await space.noPods(SITE_PODS, waitingFor(run, patience(run)));
}

/** So much that what does not come can be noted before the step's time is over. */
function patience(run: Run): number {
  return Math.min(MOST, run.timeLeft() / 3);
}

/** Somebody may have deleted it: then there is nothing to stop. */
async function patchIfThere(space: Space, run: Run, ref: Ref, change: PatchOperation): Promise<void> {
  if (!await space.get(ref, run)) return;
  await patchFenced(space, { ref, hold: run.job, change: () => [change] }, run);
}
