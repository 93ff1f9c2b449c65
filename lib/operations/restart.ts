/** Starts Moodle anew. */
import { declareOperation } from "#lib/operations/operation.ts";
import { UPDATE } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

export const restart = declareOperation({
  name: "restart",
  isAction: true,
  deed: "restart",
  from: ["active"],
  passage: UPDATE,
  downtime: true,
  says: () => ["Moodle's pod is replaced; the database goes on"],
  plan: {
    version: 1,
    limit: HOUR,
    steps: {
      verify: ["Checking that the data is still the site's own", 6 * MINUTE],
      app: ["Restarting Moodle", 16 * MINUTE],
      health: ["Looking at the site's login page", 6 * MINUTE],
    },
  },
});
