/** Plans a change of a hub's policy: the new versions, and what each spoke gets of them. Pure. */
import { isDeepStrictEqual } from "node:util";
import { Fault } from "#lib/base/errors.ts";
import { requireListedAddons } from "#lib/catalog/addons.ts";
import { type Catalog, requireOfferedValues } from "#lib/catalog/catalog.ts";
import {
  DEFAULT_OVERRIDABLE,
  type HubPolicy,
  listPolicyFields,
  mergePolicyChanges,
  POLICY_SECTIONS,
  type PolicyField,
  type PolicySection,
  type PolicyValueChanges,
  type PolicyVersion,
} from "#lib/model/policy.ts";
import { describeAddonEffect } from "#lib/domains/policy/addon-effects.ts";
import { listOverrides } from "#lib/moodle/policy-values.ts";
import { keepsOwnCourses, listReleaseProblems, requirePublishedReleases } from "#lib/domains/policy/releases.ts";
import type { HubSpoke } from "#lib/domains/policy/store.ts";
import type { HubCourse } from "#lib/model/course.ts";
import type { PolicyEffect, PolicyPatch, PolicyPreview } from "#lib/domains/policy/views.ts";

export interface PolicyChange {
  readonly before: HubPolicy;
  readonly after: HubPolicy;
  /** The sections that get a new version. */
  readonly sections: readonly PolicySection[];
}

interface Author {
  readonly email: string;
  readonly now: Date;
}

/** Computes the new versions. A section whose values stay the same keeps its version. */
export function planPolicyChange(before: HubPolicy, patch: PolicyPatch, author: Author): PolicyChange {
  requireExpectedVersions(before, patch);
  const settings = changeSection("settings", before, patch, author),
    brand = changeSection("brand", before, patch, author),
    signIn = changeSection("signIn", before, patch, author),
    courses = changeSection("courses", before, patch, author),
    addons = changeSection("addons", before, patch, author);
  const after: HubPolicy = {
    ...(settings && { settings }),
    ...(brand && { brand }),
    ...(signIn && { signIn }),
    ...(courses && { courses }),
    ...(addons && { addons }),
  };
  return { before, after, sections: POLICY_SECTIONS.filter((name) => after[name]?.version !== before[name]?.version) };
}

function requireExpectedVersions(policy: HubPolicy, { ifVersion = {} }: PolicyPatch): void {
  for (const section of POLICY_SECTIONS) {
    const expected = ifVersion[section], actual = policy[section]?.version ?? 0;
    if (expected === undefined || expected === actual) continue;
    const message = `${section} has version ${actual}, and your change is based on version ${expected}; load it again`;
    throw new Fault("conflict", "policy_changed", message);
  }
}

function changeSection<S extends PolicySection>(
  section: S,
  before: HubPolicy,
  patch: PolicyPatch,
  { email, now }: Author,
): PolicyVersion<S> | undefined {
  const old = before[section] as PolicyVersion<S> | undefined;
  const values = mergePolicyChanges<S>(section, old?.values, patch[section] as PolicyValueChanges<S> | undefined);
  const lists: { readonly [S in PolicySection]?: readonly string[] | undefined } = patch.overridable ?? {};
  const allowed = (lists[section] ?? old?.overridable ?? DEFAULT_OVERRIDABLE[section]) as readonly string[];
  const overridable: readonly PolicyField<S>[] = listPolicyFields(section).filter((name) => allowed.includes(name));
  const base = { values: old?.values ?? {}, overridable: old?.overridable ?? DEFAULT_OVERRIDABLE[section] };
  if (isDeepStrictEqual({ values, overridable }, { ...base, overridable: [...base.overridable] })) return old;
  return { version: (old?.version ?? 0) + 1, values, overridable, changedAt: now.toISOString(), changedBy: email };
}

/** Returns the values that the change replaces, and the lists of overridable fields. */
export function listPolicyChanges({ before, after, sections }: PolicyChange): PolicyPreview["changes"] {
  return sections.flatMap((section) => {
    const from: Readonly<Record<string, unknown>> = { ...before[section]?.values };
    const to: Readonly<Record<string, unknown>> = { ...after[section]?.values };
    const changed = listPolicyFields(section).filter((field) => !isDeepStrictEqual(from[field], to[field]));
    const lists = [before[section]?.overridable ?? DEFAULT_OVERRIDABLE[section], after[section]?.overridable ?? []];
    return [
      ...changed.map((field) => ({ section, field, from: from[field] ?? null, to: to[field] ?? null })),
      ...(isDeepStrictEqual([...lists[0]!], [...lists[1]!])
        ? []
        : [{ section, field: "overridable", from: [...lists[0]!], to: [...lists[1]!] }]),
    ];
  });
}

export interface SpokeEffect {
  readonly spoke: HubSpoke;
  readonly effect: PolicyEffect;
  readonly reason: string | null;
}

/** Returns what each spoke gets of the change. `courses` are those of the hub. */
export function listSpokeEffects(
  change: PolicyChange,
  spokes: readonly HubSpoke[],
  courses: readonly HubCourse[] | null,
): readonly SpokeEffect[] {
  const changed = listPolicyChanges(change).filter(({ field }) => field !== "overridable");
  return spokes.filter(({ state }) => state !== "removing").map((spoke) => {
    const excluded = spoke.policy?.excluded ?? [];
    const included = change.sections.filter((section) => !excluded.includes(section));
    if (included.length === 0) return { spoke, effect: "excluded", reason: "Excluded by an admin of the hub" };
    const open = included.filter((section) => isSectionUsed(section, spoke));
    if (open.length === 0) return { spoke, effect: "excluded", reason: UNUSED[included[0]!]! };
    const hidden = changed.filter(({ section, field }) =>
      section === "courses"
        ? keepsOwnCourses(spoke)
        : section !== "addons" && Object.hasOwn(listOverrides(section, change.after, spoke), field)
    );
    if (changed.length > 0 && hidden.length === changed.length) {
      return { spoke, effect: "overridden", reason: "Keeps its own values" };
    }
    const own = hidden.length === 0 ? [] : [`Keeps its own ${hidden.map(({ field }) => field).join(", ")}`];
    const releases = open.includes("courses") && !keepsOwnCourses(spoke) ? change.after.courses?.values.releases : [];
    const reason = [...own, ...listReleaseProblems(courses, spoke, releases ?? [])].join(". ") || null;
    if (isReachable(spoke)) return { spoke, effect: "changes", reason };
    return { spoke, effect: "later", reason: `The site is ${spoke.state}; it gets the change as soon as it is active` };
  });
}

/** Why a spoke gets nothing of a section. */
const UNUSED: { readonly [S in PolicySection]?: string } = {
  signIn: "Does not use the hub's sign-in",
  courses: "Does not use the hub's courses",
};

function isSectionUsed(section: PolicySection, { identity, content }: HubSpoke): boolean {
  return section === "signIn" ? identity : section !== "courses" || content;
}

/** Whether a rollout can change the site now. An operation that runs on it comes first. */
export function isReachable({ state }: Pick<HubSpoke, "state">): boolean {
  return state === "active" || state === "updating";
}

/** Returns the spokes to which a rollout must bring the new versions. Those that hide the change get the version only. */
export function listRolloutSpokes(effects: readonly SpokeEffect[]): readonly HubSpoke[] {
  return effects.filter(({ spoke, effect }) => effect !== "excluded" && isReachable(spoke)).map(({ spoke }) => spoke);
}

/** Whether one of the sites is in maintenance mode for a while, because its add-ons change. */
export function causesDowntime(catalog: Catalog, { after }: PolicyChange, spokes: readonly HubSpoke[]): boolean {
  return spokes.some((spoke) => describeAddonEffect(catalog, after, spoke).downtime);
}

/** Throws an `invalid` fault: `not_offered` for a new brand or add-on, or `course_missing` for a version of a course. */
export function requireKnownValues(
  catalog: Catalog,
  courses: readonly HubCourse[] | null,
  { before, after, sections }: PolicyChange,
): void {
  requirePublishedReleases(courses, before.courses?.values.releases, after.courses?.values.releases);
  const preset = after.brand?.values.preset;
  if (sections.includes("addons")) requireListedAddons(catalog.addons, after.addons?.values.components ?? []);
  if (preset !== undefined && preset !== before.brand?.values.preset) requireOfferedValues(catalog, { brand: preset });
}
