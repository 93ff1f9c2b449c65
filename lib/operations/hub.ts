/** Declares the operations that create and remove a hub, and those on the library of its courses. */
import * as v from "valibot";
import { declareHubOperation } from "#lib/operations/operation.ts";
import { REMOVAL } from "#lib/operations/progress.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

export const provisionHub = declareHubOperation({
  name: "provision-hub",
  plan: {
    version: 1,
    limit: HOUR,
    steps: {
      namespace: ["Creating the hub's namespace", MINUTE],
      settings: ["Creating the settings that spokes share", MINUTE],
      issuer: ["Setting up certificates", 5 * MINUTE],
    },
  },
});

export const removeHub = declareHubOperation({
  name: "remove-hub",
  persistent: true,
  progress: REMOVAL,
  plan: {
    version: 1,
    limit: 24 * HOUR,
    steps: {
      namespace: ["Deleting the hub's namespace", HOUR],
      confirm: ["Checking that no objects remain", 10 * MINUTE],
    },
  },
});

/** Deletes the package of a version that the hub no longer has. */
export const deleteCourse = declareHubOperation({
  name: "delete-course",
  persistent: true,
  payload: v.object({
    course: v.string(),
    version: v.number(),
    title: v.string(),
    sha256: v.string(),
    bytes: v.number(),
  }),
  plan: { version: 1, limit: HOUR, steps: { package: ["Deleting the package of a course", 20 * MINUTE] } },
});

/** Copies packages that the library lacks from a backup. The packages that it has stay as they are. */
export const restoreLibrary = declareHubOperation({
  name: "restore-library",
  payload: v.object({ backupId: v.string() }),
  plan: {
    version: 1,
    limit: 6 * HOUR,
    steps: {
      library: ["Preparing the hub's library", 20 * MINUTE],
      volume: ["Creating a volume from the backup", 3 * HOUR],
      copy: ["Copying missing packages", 70 * MINUTE],
      clear: ["Deleting the temporary volume", 20 * MINUTE],
    },
  },
});
