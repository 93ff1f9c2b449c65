/** Records the digest of the image that a site runs, at the end of each operation that changes the image. */
import { listImageDigests, MOODLE_POD_SELECTOR } from "#lib/moodle/image-digest.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { IMAGE_DIGEST } from "#lib/operations/progress.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { SpokeSite } from "#lib/steps/site.ts";

const POD = { apiVersion: "v1", kind: "Pod" };

type ImageDigestProgress = ProgressOf<typeof IMAGE_DIGEST>;

/** Saves the digest of the running image in the job's progress, so that it can be stored when the operation ends. */
export async function recordImageDigest(
  { space, inputs }: SpokeSite,
  run: JobRun<ImageDigestProgress>,
): Promise<void> {
  const pods = await space.list(POD, MOODLE_POD_SELECTOR, run);
  const [imageDigest = null] = pods.flatMap((pod) => listImageDigests(pod, inputs.images.moodle));
  await run.saveProgress({ imageDigest });
}

/**
 * Returns the image digest from the job's progress, or null if it is missing: the next periodic check then records it.
 */
export function readRecordedDigest({ progress }: Job<ImageDigestProgress>): { readonly imageDigest: string | null } {
  return { imageDigest: progress.imageDigest ?? null };
}
