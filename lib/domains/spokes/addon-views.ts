/** Defines the API schema for the add-ons of a spoke. */
import * as v from "valibot";
import { NullableTimestamp } from "#lib/base/schema.ts";

export const SpokeAddonsView = v.object({
  spokeId: v.string(),
  /** When the site listed its add-ons. Null if it has not reported any list yet. */
  reportedAt: NullableTimestamp,
  /** The number of all add-ons. A report has room for about 100 of them. */
  total: v.nullable(v.number()),
  addons: v.array(v.object({
    component: v.string(),
    version: v.number(),
    enabled: v.boolean(),
    /** Whether the catalog lists the add-on. Null if the catalog has no list of add-ons. */
    listed: v.nullable(v.boolean()),
  })),
});
export type SpokeAddonsRecord = v.InferInput<typeof SpokeAddonsView>;
