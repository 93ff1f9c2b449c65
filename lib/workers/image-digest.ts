/** Records the digest of the image that a site runs. Operations that choose the image call it at their end. */
import { listImageDigests, MOODLE_PODS } from "#lib/moodle/image-digest.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { SpokeSite } from "#lib/workers/site.ts";

const POD = { apiVersion: "v1", kind: "Pod" };

/** Stores the digest in the job's progress, from which `digestOf` reads it when the operation ends. */
export async function recordImageDigest({ space, inputs }: SpokeSite, run: Run): Promise<void> {
  const pods = await space.list(POD, MOODLE_PODS, run);
  await run.saveProgress({
    imageDigest: pods.flatMap((pod) => listImageDigests(pod, inputs.images.moodle))[0] ?? null,
  });
}

/** Returns the digest from the job's progress; null if none was found. The sweep then records it. */
export function imageDigestOf({ progress }: Job): { readonly imageDigest: string | null } {
  return { imageDigest: (progress as { readonly imageDigest?: string | null }).imageDigest ?? null };
}
