/**
 * Carries out rollouts. Each operation starts in its own transaction, which also marks its spoke in the rollout, so that
 * a replica that continues after a crash starts nothing twice. The job waits in the queue between two looks, and ends
 * when its rollout is paused, completed or aborted.
 */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { decideRolloutStep, type RolloutStep, settleSpoke } from "#lib/domains/rollouts/decide.ts";
import { createRolloutJob, ROLLOUT_JOB_KIND } from "#lib/domains/rollouts/job.ts";
import { createRolloutMails, recordRolloutChange } from "#lib/domains/rollouts/record.ts";
import {
  claimRolloutSpoke,
  lockRollout,
  mayContinueRollout,
  readObservedSpokes,
  saveSpokeChanges,
  updateRollout,
} from "#lib/domains/rollouts/store.ts";
import { enqueueCheckedAction } from "#lib/domains/spokes/actions.ts";
import { createHandler, type JobHandler, type RunOf } from "#lib/scheduler/handler.ts";
import { OperationAwaited, StepYielded } from "#lib/scheduler/stop-reasons.ts";

type RolloutRun = RunOf<typeof ROLLOUT_JOB_KIND>;

export function rolloutHandler(app: App): JobHandler {
  return createHandler({
    kind: ROLLOUT_JOB_KIND,
    steps: { advance: (run) => runRollout(app, run) },
    hooks: {
      // The rollout may have been resumed after this job saw that it was paused.
      async onSucceeded(tx, { payload: { rolloutId } }) {
        const { state } = await lockRollout(tx, rolloutId);
        return state === "running" ? { jobs: [createRolloutJob(rolloutId)] } : {};
      },
    },
  });
}

async function runRollout(app: App, run: RolloutRun): Promise<void> {
  for (;;) {
    run.throwIfStopped();
    const step = await run.write((tx) => takeStep(tx, run));
    if (step.kind === "await") throw new OperationAwaited(step.note, step.operationId);
    if (step.kind === "wait") throw new StepYielded(step.note, step.milliseconds);
    if (step.kind === "complete" || step.kind === "stop") return;
    if (step.kind === "pause") continue; // waits for the operations that still run
    for (const spokeId of step.spokeIds) {
      run.throwIfStopped();
      await startSpoke(app, run, spokeId);
    }
  }
}

/** Saves what has happened to the rollout's spokes, then decides the next step and saves the rollout's state. */
async function takeStep(tx: Tx, { job }: RolloutRun): Promise<RolloutStep> {
  const { rolloutId } = job.payload, rollout = await lockRollout(tx, rolloutId);
  const now = await readDatabaseTime(tx), observed = await readObservedSpokes(tx, rolloutId);
  const changes = observed.flatMap((spoke) => settleSpoke(spoke, { canaryMinutes: rollout.canaryMinutes, now }) ?? []);
  await saveSpokeChanges(tx, rolloutId, changes);
  const bySpoke = new Map(changes.map((change) => [change.spokeId, change]));
  const spokes = observed.map((spoke) => ({ ...spoke, ...bySpoke.get(spoke.spokeId) }));
  const { userId, email } = job.requester;
  const mayContinue = rollout.state !== "running" || await mayContinueRollout(tx, userId, rollout);
  const step: RolloutStep = mayContinue
    ? decideRolloutStep(rollout, spokes, now)
    : { kind: "pause", reason: `${email} no longer has the rights for this rollout` };
  const note = "note" in step && rollout.state === "running" ? step.note : null;
  if (step.kind === "pause" || step.kind === "complete") {
    const isPause = step.kind === "pause", reason = isPause ? step.reason : null;
    const row = await updateRollout(tx, rolloutId, { state: isPause ? "paused" : "completed", note, reason });
    const failed = spokes.filter(({ state }) => state === "failed").length;
    await recordRolloutChange(tx, job.requester, row, isPause ? "rollout_paused" : "rollout_completed", {
      metadata: { spokes: spokes.length, failed, ...(reason !== null && { reason }) },
      jobs: await createRolloutMails(tx, row, spokes),
    });
  } else if (note !== rollout.note) await updateRollout(tx, rolloutId, { note });
  return step;
}

/** Starts the operation of a spoke, unless the rollout was paused. Skips the spoke if the action is refused. */
async function startSpoke(app: App, run: RolloutRun, spokeId: string): Promise<void> {
  const { rolloutId } = run.job.payload;
  try {
    await run.write(async (tx) => {
      const { state, action, parameters } = await lockRollout(tx, rolloutId);
      if (state !== "running" || !await claimRolloutSpoke(tx, rolloutId, spokeId)) return;
      const [, job] = await enqueueCheckedAction(app, tx, run.job.requester, spokeId, { action, parameters });
      await tx.updateTable("rollout_spokes").set({ operationId: job.id }).where("rolloutId", "=", rolloutId)
        .where("spokeId", "=", spokeId).execute();
    });
  } catch (error) {
    if (!(error instanceof Fault && ["conflict", "impossible", "missing"].includes(error.kind))) throw error;
    await run.write((tx) =>
      saveSpokeChanges(tx, rolloutId, [{ spokeId, state: "skipped", reason: error.message, endedAt: null }])
    );
  }
}
