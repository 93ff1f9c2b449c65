/** Defines the catalog's list of add-ons, and compares the add-ons of a site with it. Pure. */
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { boundedText } from "#lib/base/schema.ts";
import { AddonComponent, type InstalledAddon, type WantedAddon } from "#lib/model/addon.ts";
import { WebFile } from "#lib/model/policy.ts";

const BRANCH = "must be a branch of Moodle such as 4.5, in quotes";
const VERSION = "must be the number in version.php, such as 2024101100";

const CatalogAddon = v.strictObject({
  component: AddonComponent,
  /** The version as Moodle's number, `$plugin->version` in version.php. */
  version: v.pipe(v.number(VERSION), v.minValue(1, VERSION), v.maxValue(999_999_999_999, VERSION)),
  /** The name of the version, `$plugin->release` in version.php. */
  release: boundedText(1, 100),
  source: WebFile,
  /** The branches of Moodle on which this version runs. */
  branches: v.pipe(
    v.array(v.pipe(v.string(BRANCH), v.regex(/^\d{1,2}\.\d{1,2}$/, BRANCH)), "must be a list"),
    v.minLength(1),
  ),
  licence: v.optional(boundedText(1, 100)),
  note: v.optional(boundedText(1, 500)),
});
export type CatalogAddon = v.InferOutput<typeof CatalogAddon>;

const keyOf = ({ component, version }: Pick<CatalogAddon, "component" | "version">) => `${component} ${version}`;

/** The section `addons` of the CATALOG file. A component can have several versions. */
export const CatalogAddons = v.pipe(
  v.array(CatalogAddon, "must be a list"),
  v.check((addons) => new Set(addons.map(keyOf)).size === addons.length, "has a version of a component twice"),
);

/** The catalog's add-ons. Null without such a list, which allows every add-on. */
type AddonList = readonly CatalogAddon[] | null;

/** The add-ons of a site, as it last reported them. */
export interface SiteAddons {
  readonly addons: readonly InstalledAddon[];
  /** The number of further add-ons, which did not fit into the report. */
  readonly unreported: number;
}

export const NO_ADDONS: SiteAddons = { addons: [], unreported: 0 };

/** Returns the components on a site that the catalog does not list. */
export function findUnlistedAddons(list: AddonList, installed: readonly Pick<InstalledAddon, "component">[]): string[] {
  if (list === null) return [];
  const listed = new Set(list.map(({ component }) => component));
  return installed.flatMap(({ component }) => listed.has(component) ? [] : [component]);
}

/**
 * Returns the components on a site that the catalog lists, but not for this branch. If the catalog does not list the
 * installed version, any listed version counts, because the operator may have tested only those.
 */
export function findUnsupportedAddons(
  list: AddonList,
  installed: readonly Pick<InstalledAddon, "component" | "version">[],
  branch: string,
): string[] {
  return installed.flatMap(({ component, version }) => {
    const versions = (list ?? []).filter((each) => each.component === component);
    const same = versions.filter((each) => each.version === version), known = same.length > 0 ? same : versions;
    return known.length === 0 || known.some(({ branches }) => branches.includes(branch)) ? [] : [component];
  });
}

/** Returns the newest version that the catalog lists for a branch of Moodle; null if it lists none. */
export function findNewestAddon(list: AddonList, component: string, branch: string): WantedAddon | null {
  const versions = (list ?? []).filter((each) => each.component === component && each.branches.includes(branch));
  const newest = versions.toSorted((a, b) => a.version - b.version).at(-1);
  return newest === undefined ? null : { component, version: newest.version, source: { ...newest.source } };
}

/** Throws an `invalid` fault (`not_offered`) if the catalog does not list these components. */
export function requireListedAddons(list: AddonList, components: readonly string[]): void {
  if (components.length === 0) return;
  const unlisted = findUnlistedAddons(list, components.map((component) => ({ component })));
  if (list !== null && unlisted.length === 0) return;
  const reason = list === null
    ? "need a list of add-ons in the catalog, which says where each version is and on which Moodle it runs"
    : `are not in the catalog: ${unlisted.join(", ")}`;
  throw new Fault("invalid", "not_offered", `The add-ons ${reason}`);
}

/** Describes the add-ons about which the catalog does not say whether they work after an upgrade, one sentence each. */
export function describeUncheckedAddons(list: AddonList, { addons, unreported }: SiteAddons): string[] {
  const unknown = list === null ? addons.map(({ component }) => component) : findUnlistedAddons(list, addons);
  return [
    ...(unknown.length === 0 ? [] : [
      `It is not known whether these add-ons work with the new version, because the catalog does not list them: ${
        unknown.join(", ")
      }`,
    ]),
    ...(unreported === 0 ? [] : [`The site has ${unreported} more add-ons, which its report does not name`]),
  ];
}
