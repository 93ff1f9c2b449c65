/** Tells how far an installation or upgrade has come, and keeps how many parts it had, for the next that goes the same way. */
import { countParts, type PartCount } from "#lib/moodle/progress.ts";
import { findLastProgress } from "#lib/jobs/past-progress.ts";
import type { Run } from "#lib/scheduler/handler.ts";

const KEY = "parts"; // in the job's progress

interface Kept {
  /** What was installed, or from what to what an upgrade led. */
  readonly way: string;
  readonly count: number;
}

export interface Parts extends Pick<PartCount, "listen"> {
  /** To be called once the Job has ended: one that was not followed to its end has counted nothing. */
  keep(): Promise<void>;
}

export async function openParts(run: Run, way: string): Promise<Parts> {
  const known = await run.write((tx) => findLastProgress<Kept>(tx, run.job.kind, KEY, { way }));
  const { listen, counted } = countParts(known?.count ?? null);
  return {
    listen,
    async keep() {
      const count = counted();
      if (count !== null) await run.saveProgress({ [KEY]: { way, count } satisfies Kept });
    },
  };
}
