/**
 * Brings the policy of a hub to spokes that its rollout leaves out: those that are stopped, being installed or being
 * repaired. Also records what an installation has brought to a site.
 */
import { readStableFederation } from "#lib/domains/federations/store.ts";
import { isLeftToRollout } from "#lib/domains/policy/roll-out.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job, JobOf, NewJob } from "#lib/jobs/job.ts";
import { listLiveOperations } from "#lib/jobs/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import { readRecordedDigest } from "#lib/steps/image-digest.ts";
import { listOutdatedSections } from "#lib/moodle/policy-values.ts";

/**
 * Returns the job that brings the newest policy to a spoke that has just become active; none if the spoke has it, or if
 * a rollout or a queued operation brings it. A rollout that has paused must not be bypassed. The lock on the hub's row
 * makes a change of the policy wait, so that the change sees the spoke's new state.
 */
export async function planPolicyCatchUp(tx: Tx, spoke: SpokeRow): Promise<NewJob[]> {
  if (spoke.state !== "active") return [];
  const hub = await readStableFederation(tx, spoke.federationId);
  const { shared } = spoke.blueprintInputs as SpokeInputs;
  if (listOutdatedSections(hub, spoke, shared).length === 0 || await isLeftToRollout(tx, spoke)) return [];
  const live = await listLiveOperations(tx, spoke.id);
  const isComing = live.some(({ kind, startedAt }) => kind === "configure" && startedAt === null);
  return isComing ? [] : [buildSpokeJob(spoke, "configure")];
}

/** Returns the columns with what the installation has brought to the site: its image, and the hub's policy. */
export function readInstalledColumns(
  job: Job<JobOf<typeof OPERATIONS.provision.kind>["progress"]>,
  { blueprintInputs }: SpokeRow,
): { readonly imageDigest: string | null; readonly blueprintInputs?: string } {
  const { shared } = job.progress;
  return {
    ...readRecordedDigest(job),
    ...(shared && { blueprintInputs: JSON.stringify({ ...blueprintInputs, shared }) }),
  };
}
