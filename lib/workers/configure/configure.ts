/**
 * Applies settings that were changed in a spoke's row to its site: title, administrator, brand, outgoing mail and
 * domain. While the domain changes, the site is reachable under both domains. Once the login page responds under the
 * new domain, the old domain redirects to it. If the operation fails, the site returns to its old domain (address.ts).
 */
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { readStateAfterFailure, requireOriginalSite, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { runPurgeJob } from "#lib/workers/actions/tasks.ts";
import {
  applyRedirects,
  getInputsAfterChange,
  restartWithNewSettings,
  restorePreviousDomain,
  runIfDomainChanges,
  runIfPodsRestart,
  serveNewDomain,
} from "#lib/workers/configure/address.ts";
import { backUpBeforeAddons, changeAddons, checkAddons, resumeCronAfterAddons } from "#lib/workers/configure/addons.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { configureOutcomes } from "#lib/workers/configure/outcomes.ts";
import { applySeed, prepareSettings } from "#lib/workers/configure/settings.ts";

export function configureHandler(app: App): JobHandler {
  return spokeActionHandler(app, OPERATIONS.configure, {
    prepare: prepareSettings,
    check: checkAddons,
    backup: backUpBeforeAddons,
    addons: changeAddons,
    seed: applySeed,
    ingress: serveNewDomain,
    verify: runIfPodsRestart(requireOriginalSite),
    app: runIfPodsRestart(restartWithNewSettings),
    caches: runIfDomainChanges(runPurgeJob),
    health: (site, run) => requireExpectedLoginPage({ ...site, inputs: getInputsAfterChange(site, run) }, run),
    redirect: runIfDomainChanges(applyRedirects),
  }, {
    hooks: configureOutcomes,
    async observe(site, run) {
      await resumeCronAfterAddons(site, run);
      const isBack = await restorePreviousDomain(site, run);
      return { ...await readStateAfterFailure(site, run), isBack };
    },
  });
}

/** Runs operations that an earlier release has enqueued, which had no steps for add-ons. */
export function earlierConfigureHandler(app: App): JobHandler {
  const handler = configureHandler(app), added = ["check", "backup", "addons"];
  const { kind } = handler;
  return { ...handler, kind: { ...kind, plan: 1, steps: kind.steps.filter(({ name }) => !added.includes(name)) } };
}
