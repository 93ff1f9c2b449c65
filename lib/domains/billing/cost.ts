/**
 * Defines a spoke's cost in the API. Amounts are integers in the minor unit of their currency: 1900 EUR means 19 euros,
 * but 1900 JPY means 1,900 yen.
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
   * No cost is available, because the hub is not connected to the payment provider or the size has no price. In a
   * preview, `reason` is set if the cost is only temporarily unavailable.
   */
  v.object({ available: v.literal(false), reason: v.optional(v.string()) }),
]);
export type Cost = v.InferInput<typeof CostView>;

export const UNAVAILABLE_COST: Cost = Object.freeze({ available: false });
