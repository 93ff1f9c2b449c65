/**
 * Shows the progress of an installation or upgrade. Stores its number of parts as the total for the next one of the
 * same version.
 */
import { createInstallProgress, type InstallProgress } from "#lib/moodle/install-progress.ts";
import { findLastProgress } from "#lib/jobs/past-progress.ts";
import type { Run } from "#lib/scheduler/handler.ts";

const KEY = "parts"; // in the job's progress

interface Kept {
  /** The installed version, or the versions before and after the upgrade. */
  readonly way: string;
  readonly count: number;
}

export interface ProgressParts extends Pick<InstallProgress, "startReading"> {
  /** Stores the count. Call it after the Job has ended. */
  keep(): Promise<void>;
}

export async function openProgressParts(run: Run, way: string): Promise<ProgressParts> {
  const known = await run.write((tx) => findLastProgress<Kept>(tx, run.job.kind, KEY, { way }));
  const { startReading: listen, totalParts: counted } = createInstallProgress(known?.count ?? null);
  return {
    startReading: listen,
    async keep() {
      const count = counted();
      if (count !== null) await run.saveProgress({ [KEY]: { way, count } satisfies Kept });
    },
  };
}
