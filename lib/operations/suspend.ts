/** Scales a site to zero and keeps its data. */
import { buildFieldPatch } from "#lib/operations/change.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_CRONJOB_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { declareOperation } from "#lib/operations/operation.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Suspends a site. Pauses scheduled tasks first, so that none starts during the shutdown. Stops the database last. */
export const suspend = declareOperation({
  name: "suspend",
  action: { summary: "Stop the site. Its data, address and certificate are kept." },
  verbPhrase: "suspend",
  from: ["active", "resuming"],
  transition: { through: "suspending", to: "suspended" },
  downtime: true,
  affectsPrice: true,
  describe: () => ["Data, address and certificate are kept"],
  plan: {
    version: 1,
    limit: HOUR,
    steps: {
      cron: ["Pausing scheduled tasks", 15 * MINUTE],
      app: ["Stopping Moodle", 5 * MINUTE],
      database: ["Stopping the database", 5 * MINUTE],
    },
  },
  changes: () => ({
    cron: [buildFieldPatch(MOODLE_CRONJOB_REF, "/spec/suspend", true)],
    app: [buildFieldPatch(MOODLE_DEPLOYMENT_REF, "/spec/replicas", 0)],
    database: [buildFieldPatch(DATABASE_STATEFULSET_REF, "/spec/replicas", 0)],
  }),
});
