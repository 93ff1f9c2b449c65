/** Applies a PATCH of a spoke to its site: title, administrator, brand, domain and mail. */
import { findChangedObjects } from "#lib/moodle/configure.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { type ObjectPut, type ObjectRemoval, putObject } from "#lib/operations/change.ts";
import { declareOperation } from "#lib/operations/operation.ts";
import { UPDATE_TRANSITION } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** Changes the settings of a site. Each step returns immediately if there is nothing to change. */
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

/** Cluster changes for a new domain or new mail settings, by step. Titles and brands are in the site's database. */
interface AddressChanges {
  /** Redirects from names that are no longer reserved for the site. */
  readonly ingress: readonly ObjectRemoval[];
  /** Objects that the site's pods are created from, or read. */
  readonly app: readonly ObjectPut[];
  /** The site's Ingress, and redirects from its former domains. */
  readonly redirect: readonly ObjectPut[];
}

/** Returns the changes. The operation applies them; a preview sends them as a dry run. */
export function addressChanges(
  blueprint: Pick<Blueprint, "spokeObjects">,
  before: SpokeInputs,
  after: SpokeInputs,
): AddressChanges {
  const ingresses = (inputs: SpokeInputs) => blueprint.spokeObjects(inputs, "ingress").map(putObject);
  const old = ingresses(before), current = ingresses(after);
  const isIn = (all: readonly ObjectPut[], { ref }: ObjectPut) => all.some((each) => each.ref.name === ref.name);
  const removed = old.filter((each) => !isIn(current, each)); // the site may take one of these names
  return {
    ingress: removed.map(({ ref }) => ({ ref, remove: true })),
    app: findChangedObjects(blueprint, before, after, ["policies", "secrets", "database", "app", "cron"]).map(
      putObject,
    ),
    redirect: before.host === after.host
      ? []
      : current.map((each) => ({ ...each, ...((removed.length > 0 || !isIn(old, each)) && { skipDryRun: true }) })),
  };
}
