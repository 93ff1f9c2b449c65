/** Removes a spoke together with all its Kubernetes objects. */
import * as v from "valibot";
import { declareOperation } from "#lib/operations/operation.ts";
import { REMOVAL } from "#lib/operations/progress.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Removes a spoke. A removal is retried until it succeeds, so its time limit has no effect. */
export const remove = declareOperation({
  name: "remove",
  verbPhrase: "remove",
  from: [],
  transition: { through: "removing", to: "removed" },
  persistent: true,
  downtime: true,
  progress: {
    ...REMOVAL,
    /** How many attempts to stop the site have begun. */
    stops: v.number(),
    /** How many attempts to take the last snapshot failed. */
    lastSnapshotTries: v.number(),
    /** The volumes in the last backup: the PVC, the VolumeSnapshotContent, and the snapshot's name in the storage. */
    snapshots: v.array(
      v.object({ claim: v.string(), content: v.optional(v.string()), handle: v.optional(v.string()) }),
    ),
  },
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
