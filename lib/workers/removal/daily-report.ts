/**
 * Wraps a handler so that an unfinished removal is reported once a day: in the audit log, in notifications and in the
 * log.
 */
import type { App } from "#lib/app.ts";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { REMOVAL } from "#lib/operations/progress.ts";
import { type JobHandler, type JobRun, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { isStepError, type StepError } from "#lib/steps/site.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { updateHeldJob } from "#lib/jobs/fence.ts";
import { analyzeFailure } from "#lib/scheduler/reports.ts";
import { DAY } from "#lib/base/time.ts";

export type RemovalRun = JobRun<ProgressOf<typeof REMOVAL>>;

export function withDailyReport<Progress extends ProgressOf<typeof REMOVAL>, Step extends string>(
  app: App,
  handler: JobHandler<Progress, object, Step>,
): JobHandler {
  return wrapStepFunctions(handler, (work, step) => async (run) => {
    try {
      await work(run);
    } catch (error) {
      if (isStepError(error) && !run.signal.aborted) await reportStuckRemoval(app, run, step, error);
      throw error;
    }
  });
}

async function reportStuckRemoval(app: App, run: RemovalRun, step: string, error: StepError): Promise<void> {
  const { id, spokeId, federationId, startedAt, progress, requester } = run.job;
  const notifiedAt = progress.notifiedAt === undefined ? startedAt!.getTime() : Date.parse(progress.notifiedAt);
  const now = await app.db.now();
  if (now.getTime() - notifiedAt < DAY) return;
  const { code, fault, message } = analyzeFailure(error, step).report;
  run.log.error("A removal has been running for more than a day", { since: startedAt, step, code, reason: message });
  await run.write(async (tx) => {
    await updateHeldJob(tx, run.job, { progress: { notifiedAt: now.toISOString() } });
    if (spokeId === null) return;
    const { slug } = await tx.selectFrom("spokes").select("slug").where("id", "=", spokeId).executeTakeFirstOrThrow();
    const metadata = { action: "remove", slug, step, code, fault, message, since: startedAt, operationId: id };
    const about = buildSpokeSubject({ id: spokeId, federationId: federationId! });
    await recordChange(tx, requester, { audit: [{ kind: "spoke_action_failed", ...about, metadata }] });
  });
}
