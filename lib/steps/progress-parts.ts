/**
 * Shows how many parts (plugins and components) of Moodle have been installed or upgraded. Saves the final number in
 * the job's progress, so that the next installation or upgrade to the same version can show a total.
 */
import { createInstallProgress, type InstallProgress } from "#lib/moodle/install-progress.ts";
import { findPartCount } from "#lib/jobs/past-progress.ts";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { MOODLE_PARTS } from "#lib/operations/progress.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";

export interface InstalledPartsTracker extends Pick<InstallProgress, "startReading"> {
  /** Saves the number of parts. Must be called after the Kubernetes Job has ended. */
  save(): Promise<void>;
}

export async function trackInstalledParts(
  run: JobRun<ProgressOf<typeof MOODLE_PARTS>>,
  way: string,
): Promise<InstalledPartsTracker> {
  const previous = await run.write((tx) => findPartCount(tx, run.job.kind, way));
  const { startReading, totalParts } = createInstallProgress(previous);
  return {
    startReading,
    async save() {
      const count = totalParts();
      if (count !== null) await run.saveProgress({ parts: { way, count } });
    },
  };
}
