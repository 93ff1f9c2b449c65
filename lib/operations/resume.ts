/** Starts a suspended site again. */
import { buildFieldPatch } from "#lib/operations/change.ts";
import { DATABASE_STATEFULSET, MOODLE_CRONJOB, MOODLE_DEPLOYMENT } from "#lib/moodle/names.ts";
import { declareOperation, type SpokeSubject } from "#lib/operations/operation.ts";
import { describeMaintenance } from "#lib/operations/maintenance.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Resumes a site. Checks the data first, because Moodle would reinstall itself into an empty database. */
export const resume = declareOperation({
  name: "resume",
  isAction: true,
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
  changes: ({ maintenance }: Pick<SpokeSubject, "maintenance">) => ({
    database: [buildFieldPatch(DATABASE_STATEFULSET, "/spec/replicas", 1)],
    app: [buildFieldPatch(MOODLE_DEPLOYMENT, "/spec/replicas", 1)],
    cron: [buildFieldPatch(MOODLE_CRONJOB, "/spec/suspend", maintenance)],
  }),
});
