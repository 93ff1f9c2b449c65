/** Removes a spoke together with all its Kubernetes objects. */
import { declareOperation } from "#lib/operations/operation.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Removes a spoke. A removal is retried until it succeeds, so its time limit has no effect. */
export const remove = declareOperation({
  name: "remove",
  verbPhrase: "remove",
  from: [],
  transition: { through: "removing", to: "removed" },
  persistent: true,
  downtime: true,
  plan: {
    version: 1,
    limit: 24 * HOUR,
    steps: {
      stop: ["Stopping the site", 10 * MINUTE],
      snapshot: ["Taking the last snapshot", 15 * MINUTE],
      namespace: ["Deleting the namespace", HOUR],
      confirm: ["Checking that no objects remain", 10 * MINUTE],
    },
  },
});
