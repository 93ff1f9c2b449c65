/** An installed site, and a helper that changes it through the API. */
import type { Job } from "#lib/jobs/job.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import type { SpokePatch, SpokeRecord } from "#lib/domains/spokes/views.ts";
import { type Clinic, openClinic } from "#test/lib/workers/actions/scene.ts";

export interface ConfigureClinic extends Clinic {
  patch(patch: Partial<SpokePatch>): Promise<SpokeRecord>;
  /** The operation that came of the patch, once it has ended. */
  configures(patch: Partial<SpokePatch>): Promise<Job>;
}

export async function openConfigureClinic(env: Record<string, string> = {}): Promise<ConfigureClinic> {
  const clinic = await openClinic(env);
  const { scene, id } = clinic;
  const patch = async (patch: Partial<SpokePatch>) =>
    await patchSpoke(scene.app, scene.actor, await scene.row(id), patch as SpokePatch);
  return {
    ...clinic,
    patch,
    async configures(input) {
      await patch(input);
      return await scene.ended(id, "configure");
    },
  };
}
