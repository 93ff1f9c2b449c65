/** Makes a site what a PATCH of its spoke asked for: title, administrator, look, domain. */
import { operation } from "#lib/operations/operation.ts";
import { UPDATE } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Each step looks whether there is anything to change, and returns at once where there is not. */
export const configure = operation({
  name: "configure",
  deed: "change",
  from: ["active"],
  passage: UPDATE,
  again: true,
  plan: {
    version: 1,
    limit: 2 * HOUR,
    steps: {
      prepare: ["Comparing what is wished with what there is", MINUTE],
      seed: ["Setting title, administrator and look", 35 * MINUTE],
      ingress: ["Opening the new address", 15 * MINUTE],
      verify: ["Checking that the data is still the site's own", 6 * MINUTE],
      app: ["Telling the site its new address", 16 * MINUTE],
      caches: ["Purging caches", 10 * MINUTE],
      health: ["Looking at the site's login page", 6 * MINUTE],
      redirect: ["Leading former addresses to the present one", 2 * MINUTE],
    },
  },
});
