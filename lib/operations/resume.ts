/** Starts a suspended site again. */
import { buildFieldPatch } from "#lib/operations/change.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_CRONJOB_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { declareOperation, type SpokeOperationSubject } from "#lib/operations/operation.ts";
import { describeMaintenance } from "#lib/operations/maintenance.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Resumes a site. Checks the data first, because Moodle would reinstall itself into an empty database. */
export const resume = declareOperation({
  name: "resume",
  action: { summary: "Start the suspended site again." },
  verbPhrase: "resume",
  from: ["suspended", "suspending"],
  transition: { through: "resuming", to: "active" },
  affectsPrice: true,
  describe: describeMaintenance,
  plan: {
    version: 1,
    limit: HOUR,
    steps: {
      database: ["Starting the database", 15 * MINUTE],
      verify: ["Checking that the data belongs to this site", 6 * MINUTE],
      app: ["Starting Moodle", 16 * MINUTE],
      cron: ["Turning on scheduled tasks", MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
    },
  },
  // Scheduled tasks fail in maintenance mode, so they stay paused.
  changes: ({ maintenance }: Pick<SpokeOperationSubject, "maintenance">) => ({
    database: [buildFieldPatch(DATABASE_STATEFULSET_REF, "/spec/replicas", 1)],
    app: [buildFieldPatch(MOODLE_DEPLOYMENT_REF, "/spec/replicas", 1)],
    cron: [buildFieldPatch(MOODLE_CRONJOB_REF, "/spec/suspend", maintenance)],
  }),
});
