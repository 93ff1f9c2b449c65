/** Declares the operations that create and remove a hub. */
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
