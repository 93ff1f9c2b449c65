/**
 * Defines the API schemas for a hub's billing and a spoke's cost. Amounts are integers in the minor unit of their
 * currency: 1900 EUR means 19 euros, but 1900 JPY means 1,900 yen.
 */
import * as v from "valibot";
import { SUBSCRIPTION_STATUSES } from "#lib/drivers/payments/payments.ts";
import { EmailAddress, NullableTimestamp, Timestamp } from "#lib/base/schema.ts";

export const BillingView = v.object({
  connected: v.boolean(),
  email: v.nullable(v.string()),
  status: v.nullable(v.picklist(SUBSCRIPTION_STATUSES)),
  pastDueSince: NullableTimestamp,
  currency: v.nullable(v.string()),
  items: v.array(v.object({
    size: v.nullable(v.string()),
    quantity: v.number(),
    monthly: v.nullable(v.number()),
  })),
  monthly: v.nullable(v.number()),
  invoice: v.nullable(v.object({
    number: v.nullable(v.string()),
    status: v.string(),
    total: v.number(),
    remaining: v.number(),
    currency: v.string(),
    dueAt: NullableTimestamp,
    url: v.nullable(v.string()),
  })),
  pending: v.boolean(),
  difference: v.nullable(v.object({
    message: v.string(),
    sizes: v.array(v.object({ size: v.string(), spokes: v.number(), billed: v.number() })),
  })),
  error: v.nullable(v.string()),
  checkedAt: NullableTimestamp,
});
export type BillingRecord = v.InferInput<typeof BillingView>;

export const BillingAddress = v.object({ email: EmailAddress });
export type BillingAddress = v.InferOutput<typeof BillingAddress>;

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

/** The monthly cost of a hub's spokes. `reason` says why the catalog's prices are used; null if the provider bills. */
export const HubCostView = v.object({
  prices: v.picklist(["provider", "catalog"]),
  reason: v.nullable(v.string()),
  lines: v.array(v.object({
    size: v.nullable(v.string()),
    spokes: v.number(),
    each: v.nullable(v.number()),
    monthly: v.nullable(v.number()),
    currency: v.nullable(v.string()),
    reason: v.nullable(v.string()),
  })),
  totals: v.array(v.object({ currency: v.string(), monthly: v.number() })),
  nextInvoice: v.nullable(v.object({ currency: v.string(), total: v.number(), due: v.number(), at: Timestamp })),
  nextInvoiceReason: v.nullable(v.string()),
});
export type HubCost = v.InferInput<typeof HubCostView>;

export const UNAVAILABLE_COST: Cost = Object.freeze({ available: false });
