/** Restarts a site's Moodle pods. */
import { declareOperation } from "#lib/operations/operation.ts";
import { UPDATE_TRANSITION } from "#lib/operations/operation.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

export const restart = declareOperation({
  name: "restart",
  action: { summary: "Restart Moodle and its scheduled tasks. Data is kept." },
  verbPhrase: "restart",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  downtime: true,
  describe: () => ["Moodle's pod is replaced; the database keeps running"],
  plan: {
    version: 1,
    limit: HOUR,
    steps: {
      verify: ["Checking that the data belongs to this site", 6 * MINUTE],
      app: ["Restarting Moodle", 16 * MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
    },
  },
});
