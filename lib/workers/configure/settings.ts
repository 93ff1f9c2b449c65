/** Computes a site's new settings, and applies those that Moodle stores in its database. */
import { listChangedSeedParts, pickConfigurableInputs } from "#lib/moodle/configure.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { requireRunningSite } from "#lib/steps/workloads.ts";
import { addNotes, type SpokeSite } from "#lib/steps/site.ts";
import { findBrandTheme, type HubSettings, NO_MAIL_RELAY_NOTE } from "#lib/moodle/seed.ts";
import { addSkippedParts } from "#lib/moodle/policy-values.ts";
import { toPolicyFields } from "#lib/moodle/shared-settings.ts";
import { clearChangedSettings, readChangedSettings } from "#lib/domains/policy/store.ts";
import { toDesiredInputs } from "#lib/domains/spokes/desired.ts";
import { changesDomain, type ConfigureRun, getInputsAfterChange } from "#lib/workers/configure/address.ts";
import { bringCourses } from "#lib/workers/configure/courses.ts";
import { describeDomainChange } from "#lib/workers/configure/describe-domain-change.ts";
import { seedSite } from "#lib/workers/configure/seed-site.ts";
import { loadHubSettings } from "#lib/steps/set-up.ts";

export async function prepareSettings({ app, space, spoke, inputs }: SpokeSite, run: ConfigureRun): Promise<void> {
  await requireRunningSite(space, run, "be changed", "request it again");
  const after = await toDesiredInputs(app, spoke, inputs);
  if (changesDomain(inputs, after)) await addNotes(run, describeDomainChange(inputs, after));
  if (inputs.mailHeld && !after.mailHeld && !after.mail) await addNotes(run, [NO_MAIL_RELAY_NOTE]);
  await run.saveProgress({ after: pickConfigurableInputs(after) });
}

/** Applies the settings that Moodle stores in its database, and then the hub's courses. */
export async function applySeed(site: SpokeSite, run: ConfigureRun): Promise<void> {
  await applySettings(site, run);
  await bringCourses(site, run);
}

async function applySettings(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const { inputs } = site, after = getInputsAfterChange(site, run);
  const hub = await loadHubSettings(site, run), changes = listChangedSeedParts(inputs, after);
  const changed = await readChangedSharedSettings(site, after);
  const parts = changes.filter((part) => part !== "brand" || mayResetBrand(after, hub));
  if (parts.length < changes.length && after.brand !== null) {
    await addNotes(run, [`The brand ${after.brand?.name} is not configured; the theme was not changed`]);
  }
  if (changed.length > 0 && !parts.includes("settings")) parts.push("settings");
  if (parts.length === 0) return;
  const skipped = await seedSite({ ...site, inputs: after }, run, hub, parts);
  await addNotes(run, [...skipped, ...changed.map((field) => `The hub's value of ${field} was set again`)]);
  if (changed.length > 0) await run.write((tx) => clearChangedSettings(tx, site.spoke.id));
  const { shared } = after;
  if (shared) {
    await run.saveProgress({ after: { ...run.job.progress.after!, shared: addSkippedParts(shared, skipped) } });
  }
}

/** Returns the shared settings that someone changed on the site, unless the hub has excluded the site from them. */
async function readChangedSharedSettings({ app, spoke }: SpokeSite, { shared }: SpokeInputs) {
  if (!shared?.settings || spoke.policy?.excluded?.includes("settings")) return [];
  return toPolicyFields(await readChangedSettings(app.db.rows, spoke.id));
}

/** Whether the brand is known. A site without a theme returns to Moodle's own, unless its brand is not configured. */
function mayResetBrand(after: SpokeInputs, hub: HubSettings): boolean {
  return after.brand === null || findBrandTheme(after, hub) !== null;
}
