/** Shows a hub's policy, and how far its spokes have it. */
import type { RowQueries } from "#lib/drivers/db/database.ts";
import {
  DEFAULT_OVERRIDABLE,
  type HubPolicy,
  listPolicyFields,
  type PolicySection,
  type PolicyValues,
} from "#lib/model/policy.ts";
import { listOverrides, mergePolicyValues } from "#lib/moodle/policy-values.ts";
import { toPolicyFields } from "#lib/moodle/shared-settings.ts";
import { findPolicyRollout } from "#lib/domains/policy/roll-out.ts";
import { type HubSpoke, readHubSpoke, readHubSpokes } from "#lib/domains/policy/store.ts";
import {
  type PolicyRecord,
  SHARING_STATES,
  type SharingState,
  type SpokePolicyRecord,
} from "#lib/domains/policy/views.ts";

export async function showPolicy(rows: RowQueries, federationId: string): Promise<PolicyRecord> {
  const [policy, spokes, rollout] = await Promise.all([
    readHubPolicy(rows, federationId),
    readHubSpokes(rows, federationId),
    findPolicyRollout(rows, federationId),
  ]);
  const live = spokes.filter(({ state }) => state !== "removing");
  return {
    federationId,
    settings: showSection("settings", policy),
    brand: showSection("brand", policy),
    spokes: { settings: countStates("settings", policy, live), brand: countStates("brand", policy, live) },
    rollout,
  };
}

async function readHubPolicy(rows: RowQueries, federationId: string): Promise<HubPolicy | null> {
  const { policy } = await rows.selectFrom("federations").select("policy").where("id", "=", federationId)
    .executeTakeFirstOrThrow();
  return policy;
}

function showSection<S extends PolicySection>(section: S, policy: HubPolicy | null) {
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

function countStates(section: PolicySection, policy: HubPolicy | null, spokes: readonly HubSpoke[]) {
  const counts = { in_sync: 0, behind: 0, differs: 0, excluded: 0 };
  for (const spoke of spokes) counts[readSharing(section, policy, spoke).state]++;
  return counts;
}

interface Sharing {
  readonly state: SharingState;
  readonly reasons: readonly string[];
}

/** Decides whether the site has what the hub shares, and why not. */
export function readSharing(section: PolicySection, policy: HubPolicy | null, spoke: HubSpoke): Sharing {
  const [inSync, behind, differs, excluded] = SHARING_STATES, newest = policy?.[section];
  if (spoke.policy?.excluded?.includes(section)) {
    return { state: excluded, reasons: ["An admin of the hub has excluded the site; it keeps what it had"] };
  }
  if (!newest) return { state: inSync, reasons: [] };
  const version = findSharedVersion(section, spoke);
  if (version !== newest.version) {
    const has = version === null ? "The site has nothing of it yet" : `The site has version ${version}`;
    return { state: behind, reasons: [`${has}; the hub has version ${newest.version}`] };
  }
  const own = Object.keys(listOverrides(section, policy, spoke));
  const skipped = (section === "settings" ? spoke.settingsSkipped : spoke.brandSkipped) ?? [];
  const changed = section === "settings" ? toPolicyFields(spoke.changedSettings ?? []) : [];
  const reasons = [
    ...own.map((field) => `The site has its own value for ${field}`),
    ...changed.map((field) => `The value of ${field} was changed on the site; configure the site to set it again`),
    ...skipped,
  ];
  return { state: reasons.length > 0 ? differs : inSync, reasons };
}

function findSharedVersion(section: PolicySection, spoke: HubSpoke): number | null {
  return section === "settings" ? spoke.settingsVersion : spoke.brandVersion;
}

export async function showSpokePolicy(rows: RowQueries, spokeId: string): Promise<SpokePolicyRecord> {
  const { federationId, ...spoke } = await readHubSpoke(rows, spokeId),
    policy = await readHubPolicy(rows, federationId);
  return {
    spokeId,
    federationId,
    settings: showSpokeSection("settings", policy, spoke),
    brand: showSpokeSection("brand", policy, spoke),
  };
}

function showSpokeSection<S extends PolicySection>(section: S, policy: HubPolicy | null, spoke: HubSpoke) {
  const newest = policy?.[section], own = spoke.policy?.overrides?.[section];
  const { state, reasons } = readSharing(section, policy, spoke);
  const values: PolicyValues<S> = own?.values ?? {} as PolicyValues<S>;
  const withBrand = section === "brand" && spoke.brand !== null ? { ...values, preset: spoke.brand } : values;
  return {
    state,
    reasons: [...reasons],
    hubVersion: newest?.version ?? 0,
    version: findSharedVersion(section, spoke),
    values: showValues(section, mergePolicyValues(section, policy, spoke)),
    overrides: showValues(section, withBrand),
    overridable: [...newest?.overridable ?? DEFAULT_OVERRIDABLE[section]],
    overriddenAt: own ? new Date(own.changedAt) : null,
    overriddenBy: own?.changedBy ?? null,
  };
}
