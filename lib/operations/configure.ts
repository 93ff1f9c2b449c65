/** Makes a site what a PATCH of its spoke asked for: title, administrator, look, domain, mail. */
import { changedObjects } from "#lib/moodle/configure.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/load.ts";
import { type Put, putObject, type Removal } from "#lib/operations/change.ts";
import { declareOperation } from "#lib/operations/operation.ts";
import { UPDATE_TRANSITION } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Each step looks whether there is anything to change, and returns at once where there is not. */
export const configure = declareOperation({
  name: "configure",
  verbPhrase: "change",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  repeatable: true,
  plan: {
    version: 1,
    limit: 2 * HOUR,
    steps: {
      prepare: ["Comparing the settings with the site", MINUTE],
      seed: ["Setting title, administrator and brand", 35 * MINUTE],
      ingress: ["Opening the new address", 15 * MINUTE],
      verify: ["Checking that the data is still the site's own", 6 * MINUTE],
      app: ["Configuring the site's address and mail", 16 * MINUTE],
      caches: ["Purging caches", 10 * MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
      redirect: ["Redirecting former addresses", 2 * MINUTE],
    },
  },
});

/** What another address or mail changes, by the step that does it. What a title or a look changes is the site's own data. */
interface AddressChanges {
  /** Redirects from names that lead to the site no more. */
  readonly ingress: readonly Removal[];
  /** What pods of the site are made from, or read. */
  readonly app: readonly Put[];
  /** The site's own Ingress, and redirects from its former names. */
  readonly redirect: readonly Put[];
}

/** Performed by the work, and asked as a dry run by a preview. */
export function addressChanges(
  blueprint: Pick<Blueprint, "spokeObjects">,
  before: SpokeInputs,
  after: SpokeInputs,
): AddressChanges {
  const ingresses = (inputs: SpokeInputs) => blueprint.spokeObjects(inputs, "ingress").map(putObject);
  const old = ingresses(before), current = ingresses(after);
  const isIn = (all: readonly Put[], { ref }: Put) => all.some((each) => each.ref.name === ref.name);
  const removed = old.filter((each) => !isIn(current, each)); // and the site may take a name that one of these has
  return {
    ingress: removed.map(({ ref }) => ({ ref, remove: true })),
    app: changedObjects(blueprint, before, after, ["policies", "secrets", "database", "app", "cron"]).map(putObject),
    redirect: before.host === after.host
      ? []
      : current.map((each) => ({ ...each, ...((removed.length > 0 || !isIn(old, each)) && { skipDryRun: true }) })),
  };
}
