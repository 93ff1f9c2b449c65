/**
 * Defines the cost of a spoke in the API. Amounts are integers in the minor units of their currency: 1900 EUR is 19
 * euros, 1900 JPY is 1,900 yen.
 */
import * as v from "valibot";
import { Timestamp } from "#lib/base/schema.ts";

export const CostView = v.union([
  v.object({
    available: v.literal(true),
    currency: v.string(),
    size: v.string(),
    recurringMonthly: v.number(),
    dueNow: v.number(),
    prorationDate: Timestamp,
  }),
  /**
   * No cost: the hub is not connected to the provider, or the size has no price. In a dry run, `reason` is set if the
   * cost is only unavailable at the moment.
   */
  v.object({ available: v.literal(false), reason: v.optional(v.string()) }),
]);
export type Cost = v.InferInput<typeof CostView>;

export const NO_COST: Cost = Object.freeze({ available: false });
