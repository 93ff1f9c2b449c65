/** Computes which add-ons of a spoke change when its site gets the hub's policy. Pure. */
import { findNewestAddon } from "#lib/catalog/addons.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { HubSpoke } from "#lib/domains/policy/store.ts";
import type { HubPolicy } from "#lib/model/policy.ts";
import { compareAddons, listLostAddons, planAddons } from "#lib/moodle/addons.ts";
import { listComponents } from "#lib/moodle/policy-values.ts";
import { getMoodleBranch } from "#lib/moodle/upgrade.ts";

export const ADDONS_NOTE =
  "Where add-ons change, a backup is taken first, and the site is in maintenance mode for about a " +
  "minute. Removing an add-on also deletes its data";

interface AddonEffect {
  /** The changes, and the add-ons that the site cannot have, one sentence each. */
  readonly sentences: readonly string[];
  /** Whether the site is in maintenance mode meanwhile. */
  readonly downtime: boolean;
}

export function describeAddonEffect(
  { addons: listed }: Pick<Catalog, "addons">,
  policy: HubPolicy,
  spoke: HubSpoke,
): AddonEffect {
  if (!policy.addons || spoke.policy?.excluded?.includes("addons")) return { sentences: [], downtime: false };
  const branch = getMoodleBranch(spoke.lmsVersion), current = { version: 0, list: [...spoke.installedAddons ?? []] };
  const planned = planAddons(
    listComponents(policy, spoke),
    current,
    (component) => findNewestAddon(listed, component, branch),
  );
  const changes = compareAddons({ addons: current }, { addons: { version: 0, ...planned } });
  const missing = listLostAddons(planned.list, spoke.reportedAddons);
  const isMissing = (component: string) => spoke.reportedAddons === null || missing.includes(component);
  const isPresent = (component: string) => spoke.reportedAddons?.[component] !== undefined;
  const upgraded = new Set([...changes.upgraded, ...changes.installed.filter(isPresent)]);
  const installed = new Set([...changes.installed, ...missing].filter((component) => !upgraded.has(component)));
  const lists = [
    ["Installs", [...installed].filter(isMissing)],
    ["Upgrades", [...upgraded].filter(isMissing)],
    ["Removes", changes.removed],
  ] as const;
  const sentences = lists.flatMap(([verb, names]) => names.length === 0 ? [] : [`${verb} ${names.join(", ")}`]);
  return { sentences: [...sentences, ...planned.skipped ?? []], downtime: sentences.length > 0 };
}
