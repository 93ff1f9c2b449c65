/**
 * Resizes a spoke: raises the quota and limits, enlarges the disks, resizes the database and Moodle, and sets the final
 * limits. The first step computes the new size and saves it in the job's progress. Each patch changes only fields that
 * depend on the size, so that a resize does not undo other changes.
 */
import type { App } from "#lib/app.ts";
import { DISK_NAMES } from "#lib/moodle/resize.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { requireOriginalSite, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { expandPvc, readResizeErrorKeys, waitForDiskExpansion } from "#lib/workers/resize/disks.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { resizeOutcomes } from "#lib/workers/resize/outcomes.ts";
import { prepareResize, type ResizeRun } from "#lib/workers/resize/prepare.ts";
import { raiseLimits, setSize, withStoredSize } from "#lib/workers/resize/sizes.ts";

export function resizeHandler(app: App): JobHandler {
  return spokeActionHandler(app, OPERATIONS.resize, {
    prepare: prepareResize,
    quota: raiseLimits,
    disks: growDisks,
    async database(site, run) {
      await setSize(site, run, "database", DATABASE_STATEFULSET_REF);
      await waitForWorkload(site, run, DATABASE_STATEFULSET_REF);
      await waitForDiskExpansion(site, run, { disks: ["database"], until: "to the file system" });
    },
    verify: requireOriginalSite,
    async app(site, run) {
      await setSize(site, run, "app", MOODLE_DEPLOYMENT_REF);
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT_REF);
      await waitForDiskExpansion(site, run, { disks: ["files"], until: "to the file system" });
    },
    cron: (site, run) => setSize(site, run, "cron"),
    limits: (site, run) => setSize(site, run, "limits"),
    health: requireExpectedLoginPage,
  }, { hooks: resizeOutcomes });
}

async function growDisks(site: SpokeSite, run: ResizeRun): Promise<void> {
  const { disks } = withStoredSize(site.inputs, run, "after").resources, before = await readResizeErrorKeys(site, run);
  for (const disk of DISK_NAMES) {
    const size = await expandPvc(site, run, disk, disks[disk]);
    await run.saveProgress({ disks: { ...run.job.progress.disks, [disk]: size } });
  }
  await waitForDiskExpansion(site, run, { disks: DISK_NAMES, until: "to the volume", pastErrorKeys: before });
}
