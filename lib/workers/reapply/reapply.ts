/**
 * Applies the blueprint (the site's manifests) to a spoke again. This reverts manual changes and adds objects that are
 * new in the blueprint. The namespace, passwords and disks are never recreated, because Moodle would then install
 * itself in an empty database. Moodle is not started if the database contains another site or version.
 */
import type { App } from "#lib/app.ts";
import { isSiteAtVersion } from "#lib/moodle/upgrade.ts";
import { OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { restartSite, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { findInterruptedUpgrade } from "#lib/steps/interrupted-upgrade.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { excludeAdminsFromSingleSignOn, readDatabase } from "#lib/steps/site-jobs.ts";
import { readRecordedDigest, recordImageDigest } from "#lib/steps/image-digest.ts";
import { loadHubSettings } from "#lib/steps/set-up.ts";
import {
  applyLimitsForBothSizes,
  applySettings,
  applyStepObjects,
  requireCompleteSite,
  resetReplicasAndSuspension,
  restoreNamespaceLabels,
} from "#lib/workers/reapply/objects.ts";
import { replaceSizeInputs, saveNewResources } from "#lib/workers/reapply/size.ts";
import { waitForQuota, waitForWorkload } from "#lib/steps/workloads.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { waitForIngresses } from "#lib/workers/install/ingress.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import { listEndedOperationsBefore } from "#lib/jobs/store.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export function reapplyHandler(app: App): JobHandler {
  return spokeActionHandler(app, OPERATIONS.reapply, {
    async policies(site, run) {
      await requireCompleteSite(site, run);
      // Keeps the blueprint revision of the first attempt. If another release of Wheelwright continues the job with a
      // different blueprint, the periodic check reports drift.
      if (!run.job.progress.revision) await run.saveProgress({ revision: site.blueprint.revision });
      await saveNewResources(site, run);
      await restoreNamespaceLabels(site, run);
      await waitForQuota(site, run, await applyLimitsForBothSizes(site, run));
    },
    async secrets(site, run) {
      await applySettings(site, run);
      await applyStepObjects(site, run, "seed", await loadHubSettings(site, run));
    },
    async database(site, run) {
      await applyStepObjects(site, run, "volumes");
      await applyStepObjects(site, run, "database");
      await resetReplicasAndSuspension(site, run, "database");
      await waitForWorkload(site, run, DATABASE_STATEFULSET_REF);
    },
    verify,
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

/** Throws if the database contains another site, or another Moodle version than the spoke's row. */
async function verify(context: SpokeSite, run: JobRun): Promise<void> {
  const { app, spoke } = context;
  const site = await readDatabase(context, run);
  await requireSameSite(run, spoke, site);
  const version = spoke.lmsVersion;
  const isInterrupted = site.lockedUntil !== null && await findInterruptedUpgrade(app.db.rows, run.job) !== null;
  if (!isInterrupted && isSiteAtVersion(site, { version, code: null })) {
    return await excludeAdminsFromSingleSignOn(context, run);
  }
  const contents = isInterrupted
    ? "contains an interrupted upgrade"
    : `contains Moodle ${site.release ?? "of an unknown version"}`;
  throw new Refusal(
    "AnotherVersion",
    `The database ${contents}, but the spoke has the version ${version}`,
    `Ask an operator to restore a backup of ${version} (wheelwright restore ${spoke.id} --list), or retry the upgrade.`,
  );
}

/**
 * Updates the spoke's row when a reapply ends. If it succeeded, the row gets the new blueprint revision and resources,
 * and no drift. If a reapply after a failed upgrade fails too, the state stays `failed`.
 */
const reapplyOutcomes = createActionOutcomes(OPERATIONS.reapply, {
  succeeded(_, job, { blueprintInputs }) {
    const { taken: newSize, revision: blueprintRevision } = job.progress;
    const inputs = () =>
      newSize && { blueprintInputs: JSON.stringify(replaceSizeInputs(blueprintInputs as SpokeInputs, newSize)) };
    return { change: () => ({ drift: null, blueprintRevision, ...inputs(), ...readRecordedDigest(job) }) };
  },
  async stopped(tx, job) {
    const change = await readStateAfterStop(tx, job);
    return { change: () => change };
  },
});

/** Returns the spoke's state after a failed or cancelled reapply, which depends on the operations before it. */
async function readStateAfterStop(
  tx: Tx,
  job: JobOf<typeof OPERATIONS.reapply.kind>,
): Promise<Partial<Pick<SpokeRow, "state" | "health">>> {
  const { observed } = job.progress;
  if (await findInterruptedUpgrade(tx, job) !== null) return { state: "failed", health: "unknown" };
  if (await wasSuspended(tx, job)) return observed ? {} : { state: "suspended", health: "unknown" };
  return observed?.state === "suspended" ? { state: "active", health: "degraded" } : {}; // nobody suspended the site
}

async function wasSuspended(tx: Tx, job: Job): Promise<boolean> {
  const before = await listEndedOperationsBefore(
    tx,
    job,
    ["suspend", "resume", "reapply", "restore"] satisfies SpokeOperationKind[],
  );
  return before.find(({ state }) => state === "succeeded")?.kind === "suspend";
}
