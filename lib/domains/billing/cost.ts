/**
 * What a spoke costs, as the API shows it. Amounts are integers in the minor units of their currency, whichever that has:
 * 1900 EUR is 19 euros, 1900 JPY is 1,900 yen.
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
   * Nothing is billed for it: the hub is not connected to the provider, or not any more, or the size has no price. In a dry
   * run, of which the cost is a part, `reason` tells that it is only not known now.
   */
  v.object({ available: v.literal(false), reason: v.optional(v.string()) }),
]);
export type Cost = v.InferInput<typeof CostView>;

export const NO_COST: Cost = Object.freeze({ available: false });
