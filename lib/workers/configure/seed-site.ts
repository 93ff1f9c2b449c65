/** Runs the seed of a site again with some of its parts. */
import type { HubSettings, SeedPart } from "#lib/moodle/seed.ts";
import { listSignOnNotes, listSignOnProblems } from "#lib/moodle/sign-on.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { excludeAdminsFromSingleSignOn, runSeedJob } from "#lib/steps/site-jobs.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { addNotes, buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";

const SEED_PODS = "op=seed";

/**
 * Sets these parts of the site. First waits until pods of earlier attempts have ended, because they may write old
 * settings. Returns the reasons why the site skipped settings.
 */
export async function seedSite(
  site: SpokeSite,
  run: JobRun,
  hub: HubSettings,
  parts: readonly SeedPart[],
): Promise<readonly string[]> {
  const { blueprint, inputs, space } = site;
  if (parts.includes("sign-on")) {
    await addNotes(run, listSignOnNotes(inputs, hub));
    await excludeAdminsFromSingleSignOn(site, run);
  }
  await applySiteObjects(space, run, blueprint.spokeObjects(inputs, "seed", hub, parts));
  await space.noPods(SEED_PODS, buildClusterWaitOptions(run));
  const result = await runSeedJob(site, run), { done } = result;
  const skipped = [...listSignOnProblems(inputs, hub), ...result.skipped];
  run.log.info("Configured a site", { done, skipped });
  return skipped;
}
