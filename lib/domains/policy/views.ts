/** Defines the API schemas for what a hub shares with its spokes: the hub's policy, and a spoke's part in it. */
import * as v from "valibot";
import { boundedList, Flag, optionalOrNull, Timestamp, withAnyField } from "#lib/base/schema.ts";
import {
  createPolicyChangeSchema,
  createPolicyFieldListSchema,
  createPolicyViewSchema,
  HttpsUrl,
  POLICY_SECTIONS,
  type PolicySection,
} from "#lib/model/policy.ts";
import { ROLLOUT_STATES } from "#lib/model/states.ts";

const SECTION_MESSAGE = `must be one of ${POLICY_SECTIONS.join(", ")}`;
const Section = v.picklist(POLICY_SECTIONS, SECTION_MESSAGE);

const VERSION_MESSAGE = "must be the number of a version";
const VersionNumber = v.pipe(
  v.number(VERSION_MESSAGE),
  v.integer(VERSION_MESSAGE),
  v.minValue(0, VERSION_MESSAGE),
  v.maxValue(1_000_000_000, VERSION_MESSAGE),
);

function createSectionView<S extends PolicySection>(section: S) {
  return v.object({
    /** 0 if the section was never set. */
    version: v.number(),
    values: createPolicyViewSchema(section),
    /** The fields that spokes may override. */
    overridable: v.array(v.string()),
    changedAt: v.nullable(Timestamp),
    /** The email address of the user who made this version. */
    changedBy: v.nullable(v.string()),
  });
}

/** The number of spokes in each state of a section. */
export const SectionCounts = v.object({
  in_sync: v.number(),
  behind: v.number(),
  differs: v.number(),
  excluded: v.number(),
});

export const PolicyView = v.object({
  federationId: v.string(),
  settings: createSectionView("settings"),
  brand: createSectionView("brand"),
  signIn: createSectionView("signIn"),
  courses: createSectionView("courses"),
  addons: createSectionView("addons"),
  /** The redirect URIs to register at the identity provider. Empty if the sites register their own clients. */
  redirectUris: v.array(v.string()),
  /** The number of spokes in each state, by section. */
  spokes: v.object({
    settings: SectionCounts,
    brand: SectionCounts,
    signIn: SectionCounts,
    courses: SectionCounts,
    addons: SectionCounts,
  }),
  /** The newest rollout that brings the policy to the spokes. Null if no rollout was necessary. */
  rollout: v.nullable(v.object({ id: v.string(), state: v.picklist(ROLLOUT_STATES), reason: v.nullable(v.string()) })),
});
export type PolicyRecord = v.InferInput<typeof PolicyView>;

/** Values to change in a hub's policy. Undefined values stay unchanged, and null removes a value. */
export const PolicyPatch = v.object({
  settings: v.optional(createPolicyChangeSchema("settings")),
  brand: v.optional(createPolicyChangeSchema("brand")),
  signIn: v.optional(createPolicyChangeSchema("signIn")),
  courses: v.optional(createPolicyChangeSchema("courses")),
  addons: v.optional(createPolicyChangeSchema("addons")),
  /** The fields that spokes may override. */
  overridable: v.optional(withAnyField({
    settings: v.optional(createPolicyFieldListSchema("settings")),
    brand: v.optional(createPolicyFieldListSchema("brand")),
    addons: v.optional(createPolicyFieldListSchema("addons")),
  })),
  /** The versions that the change is based on. If a section has another version by now, nothing is changed. */
  ifVersion: v.optional(withAnyField({
    settings: v.optional(VersionNumber),
    brand: v.optional(VersionNumber),
    signIn: v.optional(VersionNumber),
    courses: v.optional(VersionNumber),
    addons: v.optional(VersionNumber),
  })),
});
export type PolicyPatch = v.InferOutput<typeof PolicyPatch>;

/** The identity provider to check; the hub's own if absent. */
export const SignInCheckRequest = v.object({
  issuer: optionalOrNull(HttpsUrl),
  /** Whether the provider must register clients. By default, if the sites of the hub register their own. */
  registers: optionalOrNull(Flag),
});

export const SignInCheck = v.object({
  issuer: v.string(),
  /** Why the site cannot use the provider; null if it can. */
  problem: v.nullable(v.string()),
  /** The spoke whose site has read the provider's discovery document and keys. */
  spokeId: v.string(),
});
export type SignInCheckResult = v.InferOutput<typeof SignInCheck>;

export const PolicyRollback = v.object({ section: Section, version: VersionNumber });
export type PolicyRollback = v.InferOutput<typeof PolicyRollback>;

/** How a change of a policy reaches a spoke. */
const EFFECTS = ["changes", "later", "overridden", "excluded"] as const;
export type PolicyEffect = (typeof EFFECTS)[number];

/** The maximum number of spokes that a preview names. */
export const MAX_PREVIEW_SPOKES = 50;

export const PolicyPreview = v.object({
  dryRun: v.literal(true),
  federationId: v.string(),
  /** The values that the change replaces. */
  changes: v.array(v.object({ section: Section, field: v.string(), from: v.unknown(), to: v.unknown() })),
  /** Whether sites become unavailable. Only a change of add-ons makes a site unavailable, for about a minute. */
  downtime: v.boolean(),
  /**
   * The number of spokes: those that the rollout changes; those that get the change later, because they are not running;
   * those whose own values hide the whole change; those that are excluded.
   */
  counts: v.object(v.entriesFromList(EFFECTS, v.number())),
  /** The first spokes by slug, with the reason why a spoke does not get the whole change now. */
  spokes: v.array(v.object({
    spokeId: v.string(),
    slug: v.string(),
    domain: v.string(),
    effect: v.picklist(EFFECTS),
    reason: v.nullable(v.string()),
  })),
  /** The number of spokes that are not listed. */
  more: v.number(),
  notes: v.array(v.string()),
});
export type PolicyPreview = v.InferInput<typeof PolicyPreview>;

export const PolicyVersionView = v.object({
  section: Section,
  version: v.number(),
  values: v.record(v.string(), v.unknown()),
  overridable: v.array(v.string()),
  changedAt: Timestamp,
  changedBy: v.string(),
});
export type PolicyVersionRecord = v.InferInput<typeof PolicyVersionView>;

export const SHARING_STATES = ["in_sync", "behind", "differs", "excluded"] as const;
export type SharingState = (typeof SHARING_STATES)[number];

function createSpokeSectionView<S extends PolicySection>(section: S) {
  return v.object({
    state: v.picklist(SHARING_STATES),
    /** Why the site is not in sync, one sentence each. */
    reasons: v.array(v.string()),
    /** The hub's version; 0 if the hub never set the section. */
    hubVersion: v.number(),
    /** The version that the site has; null if it has none. */
    version: v.nullable(v.number()),
    /** The values that apply to the site: the hub's, and the site's own where the hub allows them. */
    values: createPolicyViewSchema(section),
    /** The site's own values, including those that the hub no longer allows. */
    overrides: createPolicyViewSchema(section),
    overridable: v.array(v.string()),
    overriddenAt: v.nullable(Timestamp),
    overriddenBy: v.nullable(v.string()),
  });
}

export const SpokePolicyView = v.object({
  spokeId: v.string(),
  federationId: v.string(),
  settings: createSpokeSectionView("settings"),
  brand: createSpokeSectionView("brand"),
  signIn: createSpokeSectionView("signIn"),
  courses: createSpokeSectionView("courses"),
  addons: createSpokeSectionView("addons"),
  /** The sections from which an admin of the hub has excluded the spoke. */
  excluded: v.array(Section),
});
export type SpokePolicyRecord = v.InferInput<typeof SpokePolicyView>;

/** A spoke's own values, and the sections from which it is excluded. The spoke's field `brand` chooses a preset. */
export const SpokePolicyPatch = v.object({
  settings: v.optional(createPolicyChangeSchema("settings")),
  brand: v.optional(createPolicyChangeSchema("brand", ["preset"])),
  /** The versions of courses that a site with the content mode `pull` takes. */
  courses: v.optional(createPolicyChangeSchema("courses")),
  addons: v.optional(createPolicyChangeSchema("addons")),
  excluded: v.optional(boundedList(Section, 0, POLICY_SECTIONS.length, SECTION_MESSAGE)),
});
export type SpokePolicyPatch = v.InferOutput<typeof SpokePolicyPatch>;
