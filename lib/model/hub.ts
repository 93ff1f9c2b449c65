/** Declares the fields of a hub, which the API calls a federation, and the states of a request for a hub. */
import * as v from "valibot";
import { boundedText, Slug } from "#lib/base/schema.ts";
import { type Fields, setting, system, type ValuesOf } from "#lib/model/field.ts";
import { HubCoursesSchema } from "#lib/model/course.ts";
import { HubPolicySchema } from "#lib/model/stored-policy.ts";
import { HUB_STATES } from "#lib/model/states.ts";

export const HUB_REQUEST_STATES = ["pending", "approved", "rejected", "withdrawn"] as const;
export type HubRequestState = (typeof HUB_REQUEST_STATES)[number];

const text = v.string(), name = boundedText(1, 100);
const CATALOGUED = { nullable: true, changeable: true, kept: true } as const;

/** A hub's fields, in the order of the API reference. Times are declared where they are used. */
export const hubFields = {
  id: system(text, { label: "ID", hint: "The hub's ID", example: "fed_06fj2c4v7tq0w1x9n3m8k5r2dg", kept: true }),
  slug: setting(Slug, {
    settable: "required",
    label: "Slug",
    hint: "The short name of the hub in URLs and host names",
    example: "north",
    kept: true,
  }),
  name: setting(boundedText(1, 200), {
    changeable: true,
    label: "Name",
    hint: "The display name",
    example: "Northern schools",
    kept: true,
  }),
  region: setting(name, {
    ...CATALOGUED,
    catalogued: "regions",
    label: "Region",
    hint: "The name of the region in the catalog",
    example: "eu-west",
  }),
  mode: setting(name, {
    ...CATALOGUED,
    catalogued: "modes",
    label: "Mode",
    hint: "What the hub gives its sites: identity, content or both. Another text has no effect",
    example: "identity",
  }),
  tier: setting(name, {
    ...CATALOGUED,
    catalogued: "tiers",
    label: "Tier",
    hint: "The name of the hub's tier in the catalog",
    example: "standard",
  }),
  policy: system(HubPolicySchema, {
    nullable: true,
    shown: false,
    label: "Policy",
    hint: "What the hub shares with its spokes; null if nothing was ever shared",
    example: null,
    kept: true,
  }),
  courses: system(HubCoursesSchema, {
    nullable: true,
    shown: false,
    label: "Courses",
    hint: "The courses that the hub offers to its spokes; null if none was ever published",
    example: null,
    kept: true,
  }),
  state: system(v.picklist(HUB_STATES), { label: "State", hint: "The hub's state", example: "active", kept: true }),
  stateReason: system(text, {
    nullable: true,
    label: "Reason",
    hint: "Why the hub or spoke is in its current state; null if there is nothing to explain",
    example: null,
    kept: true,
  }),
  namespace: system(text, {
    shown: false,
    label: "Namespace",
    hint: "The Kubernetes namespace of the hub",
    example: "hub-main-north-n3m8k5r2dg",
    kept: true,
  }),
  createdBy: system(text, {
    shown: false,
    label: "Created by",
    hint: "The ID of the user who created the hub",
    example: null,
    kept: true,
  }),
} as const satisfies Fields;

/** The columns of a hub's database row that `hubFields` declares. */
export type HubColumns = ValuesOf<typeof hubFields>;
