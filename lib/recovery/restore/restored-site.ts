/** Describes the site that a restore creates: its blueprint inputs, and instructions for a rollback after a failure. */
import { hasRestoreChangedSite } from "#lib/jobs/restores.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getLargerQuantity } from "#lib/moodle/resize.ts";
import { replaceVersionAndVolumes } from "#lib/moodle/site-base.ts";
import type { PreparedRestore } from "#lib/operations/restore.ts";
import { isStepError, type OperationRun, type SpokeSite, withRecoveryInstructions } from "#lib/steps/site.ts";

export type RestoreRun = OperationRun<"restore">;

export function preparedRestoreOf(run: RestoreRun): PreparedRestore {
  return run.job.progress.restore!;
}

/** Returns the site with blueprint inputs that name the restored volumes. */
export function restoredSiteOf(site: SpokeSite, run: RestoreRun): SpokeSite {
  const inputs = replaceVersionAndVolumes(site.inputs, preparedRestoreOf(run).target);
  return { ...site, inputs: withStorageQuota(inputs, run.job.progress.storageQuota) };
}

/** Returns the inputs with a storage quota of at least `storage`, which is a Kubernetes quantity such as `20Gi`. */
export function withStorageQuota(inputs: SpokeInputs, storage: string | undefined): SpokeInputs {
  const { resources } = inputs, { quota } = resources;
  if (storage === undefined) return inputs;
  return {
    ...inputs,
    resources: { ...resources, quota: { ...quota, storage: getLargerQuantity(quota.storage, storage) } },
  };
}

/** Runs a step. If it fails after the site was stopped, adds instructions for a rollback to the error. */
export async function runWithRollbackHint(work: (run: RestoreRun) => Promise<void>, run: RestoreRun): Promise<void> {
  try {
    await work(run);
  } catch (error) {
    if (!isStepError(error) || !hasRestoreChangedSite(run.job) || run.signal.aborted) throw error;
    const command = `wheelwright restore ${run.job.spokeId}`, isRollback = preparedRestoreOf(run).backupId === null;
    throw withRecoveryInstructions(
      error,
      "The previous volumes are unchanged",
      (hint) =>
        `${hint ?? "Fix the cause, then retry."} Or ask an operator to roll back: ${command}${
          isRollback ? "" : " --back"
        }`,
    );
  }
}
