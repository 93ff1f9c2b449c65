/**
 * Applies the blueprint (the site's manifests) to a spoke again. This reverts manual changes and adds objects that are
 * new in the blueprint. The namespace, passwords and disks are never recreated, because Moodle would then install
 * itself in an empty database. Moodle is not started if the database contains another site or version.
 */
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { restartSite, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { recordImageDigest } from "#lib/steps/image-digest.ts";
import { loadHubSettings } from "#lib/steps/set-up.ts";
import {
  applyLimitsForBothSizes,
  applySettings,
  applyStepObjects,
  requireCompleteSite,
  resetReplicasAndSuspension,
  restoreNamespaceLabels,
} from "#lib/workers/reapply/objects.ts";
import { saveDesiredInputs, stopForMove } from "#lib/workers/reapply/tier.ts";
import { waitForQuota, waitForWorkload } from "#lib/steps/workloads.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { waitForIngresses } from "#lib/workers/install/ingress.ts";
import { reapplyOutcomes } from "#lib/workers/reapply/outcomes.ts";
import { verifyDatabase } from "#lib/workers/reapply/verify.ts";

export function reapplyHandler(app: App): JobHandler {
  return spokeActionHandler(app, OPERATIONS.reapply, {
    async policies(site, run) {
      await requireCompleteSite(site, run);
      // Keeps the blueprint revision of the first attempt. If another release of Wheelwright continues the job with a
      // different blueprint, the periodic check reports drift.
      if (!run.job.progress.revision) await run.saveProgress({ revision: site.blueprint.revision });
      const changedSite = await saveDesiredInputs(site, run);
      await restoreNamespaceLabels(changedSite, run);
      await waitForQuota(changedSite, run, await applyLimitsForBothSizes(changedSite, run));
    },
    async secrets(site, run) {
      await applySettings(site, run);
      await applyStepObjects(site, run, "seed", await loadHubSettings(site, run));
    },
    async database(site, run) {
      await stopForMove(site, run);
      await applyStepObjects(site, run, "volumes");
      await applyStepObjects(site, run, "database");
      await resetReplicasAndSuspension(site, run, "database");
      await waitForWorkload(site, run, DATABASE_STATEFULSET_REF);
    },
    verify: verifyDatabase,
    async app(site, run) {
      await applyStepObjects(site, run, "app");
      if (run.job.progress.restarts) await restartSite(site, run);
      await resetReplicasAndSuspension(site, run, "app");
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT_REF);
      await recordImageDigest(site, run);
    },
    async cron(site, run) {
      await applyStepObjects(site, run, "cron");
      await resetReplicasAndSuspension(site, run, "cron");
      if (run.job.progress.taken) await waitForQuota(site, run, await applyStepObjects(site, run, "policies"));
    },
    ingress: async (site, run) => await waitForIngresses(site, run, await applyStepObjects(site, run, "ingress")),
    health: requireExpectedLoginPage,
  }, { hooks: reapplyOutcomes });
}
