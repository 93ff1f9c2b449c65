/** Takes a site back to one of its backups, or to what it was before that. An operator's work, and no action of the API. */
import { declareOperation, type SpokeSubject } from "#lib/operations/operation.ts";
import { type SpokeState, UPDATE_TRANSITION } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** The payload of its job: from which backup, or back to the volumes that the last restore has replaced. */
export type RestoreParameters = { readonly backupId: string } | { readonly back: true };

/** Days for which the volumes that were replaced are kept. */
export const REPLACED_DAYS = 7;

/**
 * Until `stop` nothing of the site has been touched. From then on what there was stands beside what is made, and is the way
 * back: nothing of it is deleted before the new one was seen to answer, nor for days afterwards.
 */
export const restore = declareOperation({
  name: "restore",
  verbPhrase: "restore",
  from: ["active", "suspended"],
  transition: UPDATE_TRANSITION,
  allowedWhenFailed: true,
  risky: true,
  downtime: true,
  describe({ state, maintenance, payload }: Pick<SpokeSubject, "maintenance" | "payload"> & { state?: SpokeState }) {
    return [
      "back" in payload
        ? "What was done on the site since it was restored is lost, new passwords included"
        : "What was done on the site since the backup is lost, new passwords included, and everybody signs in anew",
      `The volumes that it has now are kept for ${REPLACED_DAYS} days; --back leads to them`,
      ...(state === "suspended" || state === "suspending" ? ["The suspended site is started"] : []),
      ...(maintenance ? ["The site opens while it is looked at; then it is in maintenance again"] : []),
    ];
  },
  plan: {
    version: 1,
    limit: 6 * HOUR,
    steps: {
      prepare: ["Checking the backup", 35 * MINUTE],
      volumes: ["Making volumes from the backup", 3 * HOUR],
      stop: ["Stopping the site", 20 * MINUTE],
      switch: ["Putting the restored volumes in place", 10 * MINUTE],
      database: ["Starting the restored database", 30 * MINUTE],
      app: ["Starting Moodle", 40 * MINUTE],
      settle: ["Looking at the site's data and its login page", 35 * MINUTE],
      cron: ["Turning on scheduled tasks", MINUTE],
      keep: ["Keeping the volumes that were replaced", 15 * MINUTE],
    },
  },
});
