/**
 * Applies settings that were changed in a spoke's row to its site: title, administrator, brand, outgoing mail and
 * domain. While the domain changes, the site is reachable under both domains. Once the login page responds under the
 * new domain, the old domain redirects to it. If the operation fails, the site returns to its old domain (address.ts).
 */
import type { App } from "#lib/app.ts";
import {
  type ConfigurableSpokeInputs,
  listChangedSeedParts,
  pickConfigurableInputs,
  pickSiteDetails,
} from "#lib/moodle/configure.ts";
import { findBrandTheme, NO_MAIL_RELAY_NOTE } from "#lib/moodle/seed.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
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
import { loadHubSettings } from "#lib/steps/set-up.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { runSeedJob } from "#lib/steps/site-jobs.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { requireRunningSite } from "#lib/steps/workloads.ts";
import { addNotes, buildClusterWaitOptions, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { listLiveOperations } from "#lib/jobs/store.ts";
import { clearRequestedDomain, releaseFormerDomains, switchDomain } from "#lib/domains/spokes/names.ts";
import { setAppliedInputs, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { createActionOutcomes, isBeingRemoved } from "#lib/steps/outcomes.ts";

type ConfigureRun = OperationRun<"configure">;

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

/**
 * Updates the spoke's row after a `configure` operation. If it succeeded, the blueprint inputs in the row get the new
 * settings. If it failed, they get only the settings that were applied, and keep the old domain.
 */
const configureOutcomes = createActionOutcomes(OPERATIONS.configure, {
  async succeeded(tx, job, before) {
    return { metadata: isBeingRemoved(before) ? {} : await saveAppliedSettings(tx, before, job.progress.after!) };
  },
  async stopped(tx, job, before, report) {
    if (report === null) return {};
    const { requestedDomain } = before, { after, observed } = job.progress;
    if (!isBeingRemoved(before)) {
      if (after && job.finishedSteps.includes("seed")) {
        await setAppliedInputs(tx, before.id, { ...before.blueprintInputs, ...pickSiteDetails(after) });
      }
      if (!await hasLaterConfigure(tx, job)) await clearRequestedDomain(tx, before.id);
    }
    const moving = after !== undefined && after.host !== before.domain;
    const message = !moving
      ? report.message
      : observed?.isBack
      ? `${report.message}; the site keeps the domain ${before.domain}`
      : `${report.message}; the site may use ${after.host} until you request the change again or reapply the blueprint`;
    const domain = requestedDomain !== null && { domain: { from: before.domain, to: requestedDomain } };
    return { change: () => ({ stateReason: message }), metadata: { message, ...domain } };
  },
});

async function saveAppliedSettings(tx: Tx, before: SpokeRow, after: ConfigurableSpokeInputs): Promise<object> {
  await setAppliedInputs(tx, before.id, { ...before.blueprintInputs, ...after });
  const formerHosts = after.formerHosts ?? [], moves = after.host !== before.domain;
  const freed = await releaseFormerDomains(tx, before.id, [...formerHosts.map(({ host }) => host), after.host]);
  if (moves) await switchDomain(tx, before, after.host);
  return {
    ...(moves && { domain: { from: before.domain, to: after.host } }),
    ...(freed.length > 0 && { freedDomains: freed }),
  };
}

/** Returns whether another `configure` operation is queued, which will apply the spoke's current settings. */
async function hasLaterConfigure(tx: Tx, { id, spokeId }: Job): Promise<boolean> {
  return (await listLiveOperations(tx, spokeId!)).some((other) => other.kind === "configure" && other.id !== id);
}
