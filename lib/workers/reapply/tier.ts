/** Gives a site what its hub's tier sets now. */
import { sql } from "kysely";
import { isDeepStrictEqual } from "node:util";
import { readTierInputs } from "#lib/domains/spokes/actions.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { isPlacedDifferently, withTier } from "#lib/moodle/tier-inputs.ts";
import { removeTierMark, TIER_STARTED_MARK } from "#lib/moodle/tier-marks.ts";
import { describeTierChange } from "#lib/operations/reapply.ts";
import { addNotes, type SpokeSite } from "#lib/steps/site.ts";
import { stopWorkloads } from "#lib/steps/stop.ts";
import { type ReapplyRun, saveNewResources } from "#lib/workers/reapply/size.ts";

/** Saves the values that the site must get: those of the hub's tier, and the resources now in the catalog. */
export async function saveDesiredInputs(site: SpokeSite, run: ReapplyRun): Promise<SpokeSite> {
  const changed = await saveTier(site, run);
  await saveNewResources(changed, run);
  return changed;
}

/** Stops all pods if they move: a pod that still runs elsewhere would hold the volumes, and the new pods near it. */
export async function stopForMove({ space }: SpokeSite, run: ReapplyRun): Promise<void> {
  if (run.job.progress.moves) await stopWorkloads(space, run);
}

/**
 * Stores the tier's values in the spoke's row before they reach the cluster, and returns the site with them. If the
 * operation fails, the row shows with which values it began, so that a change back to the old tier is not overlooked.
 */
async function saveTier(site: SpokeSite, run: ReapplyRun): Promise<SpokeSite> {
  const { app, inputs, spoke } = site;
  const tier = await readTierInputs(app, spoke);
  if (isDeepStrictEqual(tier, inputs.tier)) return site;
  await addNotes(run, describeTierChange(inputs.tier, tier));
  if (isPlacedDifferently(inputs.tier, tier)) await run.saveProgress({ moves: true });
  const revision = `${removeTierMark(spoke.blueprintRevision)}${TIER_STARTED_MARK}`;
  await run.write(async (tx) => {
    const row = await tx.selectFrom("spokes").select("blueprintInputs").where("id", "=", spoke.id).forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const stored = withTier(row.blueprintInputs as SpokeInputs, tier);
    await tx.updateTable("spokes").set({
      blueprintInputs: JSON.stringify(stored),
      blueprintRevision: revision,
      updatedAt: sql<Date>`wheelwright_now()`,
    }).where("id", "=", spoke.id).execute();
  });
  return { ...site, inputs: withTier(inputs, tier) };
}
