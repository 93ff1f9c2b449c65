/** Restores a site from a backup, or rolls back the last restore. Only operators can request this operation. */
import * as v from "valibot";
import { SiteVersionAndVolumes } from "#lib/moodle/site-base.ts";
import { declareOperation, type SpokeOperationSubject } from "#lib/operations/operation.ts";
import type { SpokeState } from "#lib/model/states.ts";
import { UPDATE_TRANSITION } from "#lib/operations/operation.ts";
import { IMAGE_DIGEST } from "#lib/operations/progress.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** The job's payload: the backup to restore, or a rollback to the volumes from before the last restore. */
const RestoreParameters = v.union([v.object({ backupId: v.string() }), v.object({ rollback: v.literal(true) })]);
export type RestoreParameters = v.InferOutput<typeof RestoreParameters>;

/** The result of the step `prepare`. */
const PreparedRestore = v.object({
  before: SiteVersionAndVolumes,
  target: SiteVersionAndVolumes,
  /** The ID of the backup to restore; null if the site is rolled back to its previous volumes. */
  backupId: v.nullable(v.string()),
  /** Whether the site's settings may have changed since the backup, so that they must be applied again. */
  reworded: v.boolean(),
});
export type PreparedRestore = v.InferOutput<typeof PreparedRestore>;

/** How long the volumes from before a restore are kept, in days. */
export const ROLLBACK_DAYS = 7;

/**
 * Restores a site. The site is unchanged until the step `stop`. The volumes from before the restore are kept for
 * several days after the restored site has started, so that the restore can be rolled back.
 */
export const restore = declareOperation({
  name: "restore",
  verbPhrase: "restore",
  from: ["active", "suspended"],
  transition: UPDATE_TRANSITION,
  allowedWhenFailed: true,
  risky: true,
  downtime: true,
  payload: RestoreParameters,
  progress: {
    ...IMAGE_DIGEST,
    restore: PreparedRestore,
    /** The storage quota that the restore needs, as a Kubernetes quantity such as `20Gi`. */
    storageQuota: v.string(),
    /** The PVCs that the restore replaced. */
    replaced: v.array(v.object({ claim: v.string(), uid: v.nullable(v.string()) })),
  },
  describe(
    { state, maintenance, payload }: Pick<SpokeOperationSubject<RestoreParameters>, "maintenance" | "payload"> & {
      state?: SpokeState;
    },
  ) {
    return [
      "rollback" in payload
        ? "Changes since the last restore are lost, including new passwords"
        : "Changes since the backup are lost, including new passwords, and everybody must sign in again",
      `The site's current volumes are kept for ${ROLLBACK_DAYS} days; use --back to return to them`,
      ...(state === "suspended" || state === "suspending" ? ["The suspended site is started"] : []),
      ...(maintenance ? ["Maintenance mode is turned off while the site is checked, then on again"] : []),
    ];
  },
  plan: {
    version: 1,
    limit: 6 * HOUR,
    steps: {
      prepare: ["Checking the backup", 35 * MINUTE],
      volumes: ["Creating volumes from the backup", 3 * HOUR],
      stop: ["Stopping the site", 20 * MINUTE],
      switch: ["Switching to the restored volumes", 10 * MINUTE],
      database: ["Starting the restored database", 30 * MINUTE],
      app: ["Starting Moodle", 40 * MINUTE],
      setup: ["Checking the site's data and its login page", 35 * MINUTE],
      cron: ["Turning on scheduled tasks", MINUTE],
      retain: ["Retaining the replaced volumes", 15 * MINUTE],
    },
  },
});
