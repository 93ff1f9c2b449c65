/**
 * Shows how many parts (plugins and components) of Moodle have been installed or upgraded. Saves the final number in
 * the job's progress, so that the next installation or upgrade to the same version can show a total.
 */
import { createInstallProgress, type InstallProgress } from "#lib/moodle/install-progress.ts";
import { findSavedProgress } from "#lib/jobs/past-progress.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";

const KEY = "parts"; // in the job's progress

interface StoredCount {
  /** The image that is installed, or the versions before and after the upgrade. */
  readonly way: string;
  readonly count: number;
}

export interface InstalledPartsTracker extends Pick<InstallProgress, "startReading"> {
  /** Saves the number of parts. Must be called after the Kubernetes Job has ended. */
  save(): Promise<void>;
}

export async function trackInstalledParts(run: JobRun, way: string): Promise<InstalledPartsTracker> {
  const previous = await run.write((tx) => findSavedProgress<StoredCount>(tx, run.job.kind, KEY, { way }));
  const { startReading: listen, totalParts: counted } = createInstallProgress(previous?.count ?? null);
  return {
    startReading: listen,
    async save() {
      const count = counted();
      if (count !== null) await run.saveProgress({ [KEY]: { way, count } satisfies StoredCount });
    },
  };
}
