/**
 * Applies settings that were changed in a spoke's row to its site: title, administrator, brand, outgoing mail and
 * domain. While the domain changes, the site is reachable under both domains. Once the login page responds under the
 * new domain, the old domain redirects to it. If the operation fails, the site returns to its old domain (address.ts).
 */
import type { App } from "#lib/app.ts";
import { listChangedSeedParts, pickConfigurableInputs } from "#lib/moodle/configure.ts";
import { findBrandTheme, NO_MAIL_RELAY_NOTE } from "#lib/moodle/seed.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler, RunOf } from "#lib/scheduler/handler.ts";
import { toDesiredInputs } from "#lib/domains/spokes/desired.ts";
import { readStateAfterFailure, requireOriginalSite, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { runPurgeJob } from "#lib/workers/actions/tasks.ts";
import {
  applyRedirects,
  changesDomain,
  describeDomainChange,
  getInputsAfterChange,
  restartWithNewSettings,
  restorePreviousDomain,
  runIfDomainChanges,
  runIfPodsRestart,
  serveNewDomain,
} from "#lib/workers/configure/address.ts";
import { configureOutcomes } from "#lib/workers/configure/outcomes.ts";
import { loadHubSettings } from "#lib/steps/set-up.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { runSeedJob } from "#lib/steps/site-jobs.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { requireRunningSite } from "#lib/steps/workloads.ts";
import { addNotes, buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";

type ConfigureRun = RunOf<typeof OPERATIONS.configure.kind>;

const SEED_PODS = "op=seed";

export function configureHandler(app: App): JobHandler {
  return spokeActionHandler(app, OPERATIONS.configure, {
    prepare,
    seed,
    ingress: serveNewDomain,
    verify: runIfPodsRestart(requireOriginalSite),
    app: runIfPodsRestart(restartWithNewSettings),
    caches: runIfDomainChanges(runPurgeJob),
    health: (site, run) => requireExpectedLoginPage({ ...site, inputs: getInputsAfterChange(site, run) }, run),
    redirect: runIfDomainChanges(applyRedirects),
  }, {
    hooks: configureOutcomes,
    async observe(site, run) {
      const isBack = await restorePreviousDomain(site, run);
      return { ...await readStateAfterFailure(site, run), isBack };
    },
  });
}

async function prepare({ app, space, spoke, inputs }: SpokeSite, run: ConfigureRun): Promise<void> {
  await requireRunningSite(space, run, "be changed", "request it again");
  const after = await toDesiredInputs(app, spoke, inputs);
  if (changesDomain(inputs, after)) await addNotes(run, describeDomainChange(inputs, after));
  if (inputs.mailHeld && !after.mailHeld && !after.mail) await addNotes(run, [NO_MAIL_RELAY_NOTE]);
  await run.saveProgress({ after: pickConfigurableInputs(after) });
}

/** Applies the settings. Then waits until pods of earlier attempts have ended, because they may write old settings. */
async function seed(site: SpokeSite, run: ConfigureRun): Promise<void> {
  const { blueprint, space, inputs } = site, after = getInputsAfterChange(site, run);
  const hub = await loadHubSettings(site, run), changes = listChangedSeedParts(inputs, after);
  const parts = changes.filter((part) => part !== "brand" || findBrandTheme(after, hub) !== null);
  if (parts.length < changes.length) {
    await addNotes(run, [`The brand ${after.brand?.name} is not configured; the theme was not changed`]);
  }
  if (parts.length === 0) return;
  await applySiteObjects(space, run, blueprint.spokeObjects(after, "seed", hub, parts));
  await space.noPods(SEED_PODS, buildClusterWaitOptions(run));
  const { done, skipped } = await runSeedJob(site, run);
  run.log.info("Configured a site", { done, skipped });
  await addNotes(run, skipped);
}
