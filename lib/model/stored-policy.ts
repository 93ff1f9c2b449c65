/** Defines the schemas of a hub's stored policy, and of a spoke's stored part in it. */
import * as v from "valibot";
import {
  createPolicyFieldListSchema,
  createPolicyValuesSchema,
  POLICY_SECTIONS,
  type PolicySection,
} from "#lib/model/policy.ts";

const version = {
  version: v.pipe(v.number(), v.integer(), v.minValue(1)),
  changedAt: v.string(),
  changedBy: v.string(),
};

function createVersionSchema<S extends PolicySection>(section: S) {
  return v.object({
    ...version,
    values: createPolicyValuesSchema(section),
    overridable: createPolicyFieldListSchema(section),
  });
}

function createOverridesSchema<S extends PolicySection>(section: S) {
  return v.object({
    values: createPolicyValuesSchema(section),
    changedAt: v.string(),
    changedBy: v.string(),
  });
}

/** The schema of a hub's stored policy. */
export const HubPolicySchema = v.object({
  settings: v.optional(createVersionSchema("settings")),
  brand: v.optional(createVersionSchema("brand")),
  signIn: v.optional(createVersionSchema("signIn")),
  courses: v.optional(createVersionSchema("courses")),
  addons: v.optional(createVersionSchema("addons")),
});

/** The schema of a spoke's stored overrides and exclusions. */
export const SpokePolicySchema = v.object({
  overrides: v.optional(v.object({
    settings: v.optional(createOverridesSchema("settings")),
    brand: v.optional(createOverridesSchema("brand")),
    courses: v.optional(createOverridesSchema("courses")),
    addons: v.optional(createOverridesSchema("addons")),
  })),
  excluded: v.optional(v.array(v.picklist(POLICY_SECTIONS))),
});
