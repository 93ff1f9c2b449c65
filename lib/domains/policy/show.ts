/** Shows a hub's policy, and how far its spokes have it. */
import { isDeepStrictEqual } from "node:util";
import { formatCount } from "#lib/base/text.ts";
import { findNewestAddon } from "#lib/catalog/addons.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { DEFAULT_OVERRIDABLE, listPolicyFields, type PolicySection, type PolicyValues } from "#lib/model/policy.ts";
import { readContentMode } from "#lib/model/course.ts";
import { listLostAddons } from "#lib/moodle/addons.ts";
import {
  isContentOn,
  isSignInOn,
  listOverridableFields,
  listOverrides,
  mergePolicyValues,
  type SharingHub,
} from "#lib/moodle/policy-values.ts";
import { listRedirectUris, registersClient } from "#lib/moodle/sign-on.ts";
import { getMoodleBranch } from "#lib/moodle/upgrade.ts";
import { toPolicyFields } from "#lib/moodle/shared-settings.ts";
import { keepsOwnCourses } from "#lib/domains/policy/releases.ts";
import { findPolicyRollout } from "#lib/domains/policy/roll-out.ts";
import { type HubSpoke, readHubSpoke, readHubSpokes } from "#lib/domains/policy/store.ts";
import {
  type PolicyRecord,
  SHARING_STATES,
  type SharingState,
  type SpokePolicyRecord,
} from "#lib/domains/policy/views.ts";

/** The add-ons that the catalog lists. Without them, no add-on counts as behind. */
type ListedCatalogAddons = Catalog["addons"];

export async function showPolicy(
  rows: RowQueries,
  federationId: string,
  listed: ListedCatalogAddons = null,
): Promise<PolicyRecord> {
  const [hub, spokes, rollout] = await Promise.all([
    readSharingHub(rows, federationId),
    readHubSpokes(rows, federationId),
    findPolicyRollout(rows, federationId),
  ]);
  const live = spokes.filter(({ state }) => state !== "removing");
  return {
    federationId,
    settings: showSection("settings", hub),
    brand: showSection("brand", hub),
    signIn: showSection("signIn", hub),
    courses: showSection("courses", hub),
    addons: showSection("addons", hub),
    redirectUris: registersClient(hub.policy?.signIn?.values) ? [] : live.filter(({ identity }) => identity).flatMap(
      ({ domain: host, https, port }) => listRedirectUris({ host, https, port: port ?? undefined }),
    ),
    spokes: {
      settings: countStates("settings", hub, live, listed),
      brand: countStates("brand", hub, live, listed),
      signIn: countStates("signIn", hub, live, listed),
      courses: countStates("courses", hub, live, listed),
      addons: countStates("addons", hub, live, listed),
    },
    rollout,
  };
}

async function readSharingHub(rows: RowQueries, federationId: string): Promise<SharingHub> {
  return await rows.selectFrom("federations").select(["policy", "mode"]).where("id", "=", federationId)
    .executeTakeFirstOrThrow();
}

function showSection<S extends PolicySection>(section: S, { policy }: SharingHub) {
  const newest = policy?.[section];
  return {
    version: newest?.version ?? 0,
    values: showValues(section, newest?.values ?? {}),
    overridable: [...newest?.overridable ?? DEFAULT_OVERRIDABLE[section]],
    changedAt: newest ? new Date(newest.changedAt) : null,
    changedBy: newest?.changedBy ?? null,
  };
}

/** Returns all fields of a section. A field that is not set is null. */
function showValues<S extends PolicySection>(section: S, values: PolicyValues<S>): Record<string, unknown> {
  const set: Readonly<Record<string, unknown>> = values;
  return Object.fromEntries(listPolicyFields(section).map((field) => [field, set[field] ?? null]));
}

function countStates(
  section: PolicySection,
  hub: SharingHub,
  spokes: readonly HubSpoke[],
  listed: ListedCatalogAddons,
) {
  const counts = { in_sync: 0, behind: 0, differs: 0, excluded: 0 };
  for (const spoke of spokes) counts[readSharing(section, hub, spoke, listed).state]++;
  return counts;
}

interface Sharing {
  readonly state: SharingState;
  readonly reasons: readonly string[];
}

const NO_CONTENT = "The spoke does not use the hub's courses";
const CLOSING = "The hub's courses will be closed on the site";
/** The reason for version 0, which means that the site has to get a section again. */
const AGAIN: { readonly [S in PolicySection]?: string } = {
  courses: "The courses will be brought again, because the site's data was replaced",
  addons: "The add-ons will be checked, because the site was upgraded or restored",
};
const OWN_ADDONS = "The site has add-ons of its own in addition to the hub's";
const NO_IDENTITY = "The spoke does not use the hub's sign-in";

/** Decides whether the site has what the hub shares, and why not. */
function readSharing(
  section: PolicySection,
  hub: SharingHub,
  spoke: HubSpoke,
  listed: ListedCatalogAddons,
): Sharing {
  const [inSync, behind, differs, excluded] = SHARING_STATES, { policy } = hub, newest = policy?.[section];
  if (spoke.policy?.excluded?.includes(section)) {
    return { state: excluded, reasons: ["An admin of the hub has excluded the site; it keeps what it had"] };
  }
  if (!newest) return { state: inSync, reasons: [] };
  if (section === "signIn" && !spoke.identity) {
    const reason = spoke.hasSignIn ? "The hub's sign-in will be removed from the site" : NO_IDENTITY;
    return { state: spoke.hasSignIn ? behind : excluded, reasons: [reason] };
  }
  if (section === "courses" && !spoke.content) {
    const reason = spoke.releases === null ? NO_CONTENT : CLOSING;
    return { state: spoke.releases === null ? excluded : behind, reasons: [reason] };
  }
  const version = findSharedVersion(section, spoke);
  if (version !== newest.version) {
    if (version === 0 && AGAIN[section]) return { state: behind, reasons: [AGAIN[section]] };
    const has = version === null ? "The site has nothing of it yet" : `The site has version ${version}`;
    return { state: behind, reasons: [`${has}; the hub has version ${newest.version}`] };
  }
  if (section === "signIn" && spoke.hasSignIn !== isSignInOn(hub, spoke)) {
    return { state: behind, reasons: [`The hub's sign-in will be ${spoke.hasSignIn ? "removed" : "set up"}`] };
  }
  if (section === "courses" && (spoke.releases !== null) !== isContentOn(hub, spoke)) {
    return { state: behind, reasons: [spoke.releases === null ? "The hub's courses will be brought" : CLOSING] };
  }
  const older = section === "addons" ? listOlderAddons(listed, spoke) : [];
  if (older.length > 0) return { state: behind, reasons: older };
  const own = Object.keys(listOverrides(section, policy, spoke));
  const skipped = spoke[`${section}Skipped`] ?? [];
  const changed = section === "settings" ? toPolicyFields(spoke.changedSettings ?? []) : [];
  const lost = section === "addons" ? listLostAddons(spoke.installedAddons ?? [], spoke.reportedAddons) : [];
  const reasons = [
    ...(section === "courses" ? listOwnCourseReasons(policy, spoke) : []),
    ...own.map((field) => section === "addons" ? OWN_ADDONS : `The site has its own value for ${field}`),
    ...lost.map((component) => `The site has lost ${component}; configure the site to install it again`),
    ...changed.map((field) => `The value of ${field} was changed on the site; configure the site to set it again`),
    ...skipped,
  ];
  return { state: reasons.length > 0 ? differs : inSync, reasons };
}

/** Returns the add-ons of which the catalog lists a newer version for the site's Moodle, one sentence each. */
function listOlderAddons(listed: ListedCatalogAddons, { installedAddons, lmsVersion }: HubSpoke): readonly string[] {
  const branch = getMoodleBranch(lmsVersion);
  return (installedAddons ?? []).flatMap(({ component, version }) => {
    const newest = findNewestAddon(listed, component, branch)?.version ?? 0;
    if (newest <= version) return [];
    return [`The site has ${component} ${version}; the catalog lists ${newest}; configure the site to upgrade it`];
  });
}

/** Returns how the courses of a site that does not follow the hub differ from those that the hub offers. */
function listOwnCourseReasons(policy: SharingHub["policy"], spoke: HubSpoke): readonly string[] {
  const offered = policy?.courses?.values.releases ?? [], has = spoke.releases ?? [];
  if (!keepsOwnCourses(spoke) || isDeepStrictEqual([...offered].sort(), [...has].sort())) return [];
  const missing = offered.filter((release) => !has.includes(release)).length;
  if (readContentMode(spoke.contentMode) === "mirror") return ["The site keeps the courses that it got first"];
  return [missing === 0 ? "The site has other versions" : `The site can take ${formatCount(missing, "version")}`];
}

function findSharedVersion(section: PolicySection, spoke: HubSpoke): number | null {
  return spoke[`${section}Version`];
}

export async function showSpokePolicy(
  rows: RowQueries,
  spokeId: string,
  listed: ListedCatalogAddons = null,
): Promise<SpokePolicyRecord> {
  const { federationId, ...spoke } = await readHubSpoke(rows, spokeId),
    hub = await readSharingHub(rows, federationId);
  return {
    spokeId,
    federationId,
    settings: showSpokeSection("settings", hub, spoke, listed),
    brand: showSpokeSection("brand", hub, spoke, listed),
    signIn: showSpokeSection("signIn", hub, spoke, listed),
    courses: showSpokeSection("courses", hub, spoke, listed),
    addons: showSpokeSection("addons", hub, spoke, listed),
    excluded: [...spoke.policy?.excluded ?? []],
  };
}

function showSpokeSection<S extends PolicySection>(
  section: S,
  hub: SharingHub,
  spoke: HubSpoke,
  listed: ListedCatalogAddons,
) {
  const { policy } = hub, newest = policy?.[section], own = spoke.policy?.overrides?.[section];
  const { state, reasons } = readSharing(section, hub, spoke, listed);
  const values: PolicyValues<S> = own?.values ?? {} as PolicyValues<S>;
  const merged: object = mergePolicyValues(section, policy, spoke);
  const withBrand = section === "brand" && spoke.brand !== null ? { ...values, preset: spoke.brand } : values;
  return {
    state,
    reasons: [...reasons],
    hubVersion: newest?.version ?? 0,
    version: findSharedVersion(section, spoke),
    values: showValues(section, section === "courses" ? { releases: spoke.releases ?? [] } : merged),
    overrides: showValues(section, withBrand),
    overridable: [...listOverridableFields(section, policy, spoke)],
    overriddenAt: own ? new Date(own.changedAt) : null,
    overriddenBy: own?.changedBy ?? null,
  };
}
