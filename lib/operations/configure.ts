/** Applies changed spoke settings to the site: title, administrator, brand, domain, mail, and what the hub shares. */
import * as v from "valibot";
import { ConfigurableSpokeInputs, findChangedObjects } from "#lib/moodle/configure.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { buildObjectPut, type ObjectPut, type ObjectRemoval } from "#lib/operations/change.ts";
import { declareOperation } from "#lib/operations/operation.ts";
import { UPDATE_TRANSITION } from "#lib/operations/operation.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

const ADDONS_NOTE =
  "If add-ons change, a backup is taken first, and the site is in maintenance mode for about a minute";

const AddonsPlan = v.object({
  /** `interrupted` if an earlier operation has begun to change the add-ons and was killed. */
  state: v.picklist(["unchanged", "checked", "interrupted", "partly"]),
  skipped: v.array(v.string()),
});

/** Applies new settings to a site. Each step returns immediately if it has nothing to change. */
export const configure = declareOperation({
  name: "configure",
  action: { summary: "Apply the settings that the site does not have yet, such as those that its hub shares." },
  verbPhrase: "change",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  repeatable: true,
  progress: {
    /** The new settings. */
    after: ConfigurableSpokeInputs,
    /** Whether the operation has begun to restart Moodle's pods with the new settings. */
    moved: v.boolean(),
    /** The result of the check of the add-ons. */
    addons: AddonsPlan,
    /** The ID of the backup that was taken before add-ons were changed. */
    backupId: v.string(),
    /** How often the Job that changes add-ons was killed. */
    killed: v.number(),
    /** Whether scheduled tasks are paused while add-ons are changed. */
    pausedCron: v.boolean(),
  },
  describe: ({ inputs: { shared } }) => shared?.addons ? [ADDONS_NOTE] : [],
  plan: {
    version: 2,
    limit: 5 * HOUR,
    steps: {
      prepare: ["Comparing the settings with the site", MINUTE],
      check: ["Checking the add-ons", 30 * MINUTE],
      backup: ["Taking a backup if add-ons change", 30 * MINUTE],
      addons: ["Installing and removing add-ons", 75 * MINUTE], // before the courses, which may need them
      seed: ["Setting title, administrator, brand and courses", 100 * MINUTE],
      ingress: ["Activating the new address", 15 * MINUTE],
      verify: ["Checking that the data belongs to this site", 6 * MINUTE],
      app: ["Configuring the site's address and mail", 16 * MINUTE],
      caches: ["Purging caches", 10 * MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
      redirect: ["Redirecting former addresses", 2 * MINUTE],
    },
  },
});

/** Changes to Kubernetes objects for a new domain or new mail settings, grouped by step. */
interface AddressChanges {
  /** The removal of redirects from former domains that are no longer reserved for the site. */
  readonly ingress: readonly ObjectRemoval[];
  /** Updates of the objects that define the site's pods or that the pods read. */
  readonly app: readonly ObjectPut[];
  /** Updates of the site's Ingress and of the redirects from its former domains. */
  readonly redirect: readonly ObjectPut[];
}

/** Returns the changes to Kubernetes objects that the new settings require, for the operation and its preview. */
export function buildAddressChanges(
  blueprint: Pick<Blueprint, "spokeObjects">,
  before: SpokeInputs,
  after: SpokeInputs,
): AddressChanges {
  const ingresses = (inputs: SpokeInputs) => blueprint.spokeObjects(inputs, "ingress").map(buildObjectPut);
  const old = ingresses(before), current = ingresses(after);
  const isIn = (all: readonly ObjectPut[], { ref }: ObjectPut) => all.some((each) => each.ref.name === ref.name);
  const removed = old.filter((each) => !isIn(current, each)); // the site may take one of these names
  return {
    ingress: removed.map(({ ref }) => ({ ref, remove: true })),
    app: findChangedObjects(blueprint, before, after, ["policies", "secrets", "database", "app", "cron"]).map(
      buildObjectPut,
    ),
    redirect: before.host === after.host
      ? []
      : current.map((each) => ({ ...each, ...((removed.length > 0 || !isIn(old, each)) && { skipDryRun: true }) })),
  };
}
