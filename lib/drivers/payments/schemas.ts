/**
 * Defines schemas for the payment provider's objects, and converts them to types. Responses are validated, because the
 * provider's package has no runtime checks. An unexpected response causes an error that names the field.
 */
import * as v from "valibot";
import {
  type Invoice,
  PaymentError,
  type ProviderEvent,
  type Refund,
  type Subscription,
  SUBSCRIPTION_STATUSES,
  type SubscriptionItem,
} from "#lib/drivers/payments/payments.ts";
import { SECOND } from "#lib/base/time.ts";

/** Seconds since the epoch, up to the end of the year 9999. */
export const UnixTimeSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(253_402_300_799));
export const TimeSchema = v.pipe(UnixTimeSchema, v.transform((seconds) => new Date(seconds * SECOND)));
export const AmountSchema = v.pipe(v.number(), v.safeInteger());
export const CurrencySchema = v.pipe(v.string(), v.regex(/^[a-z]{3}$/i), v.toUpperCase());
const Metadata = v.nullish(v.record(v.string(), v.string()), {});

/** An object's ID. The provider returns either the ID or the complete object, which contains the ID. */
export const ObjectIdSchema = v.union([v.string(), v.pipe(v.object({ id: v.string() }), v.transform(({ id }) => id))]);
const NullableObjectIdSchema = v.nullish(ObjectIdSchema, null);

export const PriceSchema = v.object({
  id: v.string(),
  active: v.boolean(),
  currency: CurrencySchema,
  unit_amount: v.nullish(AmountSchema, null),
  recurring: v.nullish(
    v.object({ interval: v.string(), interval_count: v.number(), usage_type: v.nullish(v.string(), null) }),
    null,
  ),
  billing_scheme: v.nullish(v.string(), "per_unit"),
  metadata: Metadata,
});
export type PriceSchema = v.InferOutput<typeof PriceSchema>;

export const SubscriptionItemSchema = v.pipe(
  v.object({
    id: v.string(),
    quantity: v.nullish(v.pipe(v.number(), v.safeInteger()), 0),
    metadata: Metadata,
    price: PriceSchema,
  }),
  v.transform(({ id, quantity, price, metadata }): SubscriptionItem => ({
    id,
    price: price.id,
    // Takes the size from the price if the item has none, which happens if somebody added the item manually.
    size: metadata["size"] ?? price.metadata["size"] ?? null,
    quantity,
    monthly: isFixedMonthlyPrice(price) ? price.unit_amount : null,
  })),
);

export const InvoiceSchema = v.pipe(
  v.object({
    id: v.string(),
    number: v.nullish(v.string(), null),
    status: v.nullish(v.string(), "draft"),
    total: AmountSchema,
    amount_remaining: AmountSchema,
    currency: CurrencySchema,
    due_date: v.nullish(TimeSchema, null),
    hosted_invoice_url: v.nullish(v.string(), null),
  }),
  v.transform(({ amount_remaining: remaining, due_date: dueAt, hosted_invoice_url: url, ...rest }): Invoice => {
    return { ...rest, remaining, dueAt, url };
  }),
);

export const SubscriptionSchema = v.object({
  id: v.string(),
  customer: ObjectIdSchema,
  status: v.picklist(SUBSCRIPTION_STATUSES),
  currency: CurrencySchema,
  metadata: Metadata,
  items: v.object({ data: v.array(SubscriptionItemSchema), has_more: v.nullish(v.boolean(), false) }),
  /** The latest invoice. Null if it was a draft that was deleted, because the provider then returns only its ID. */
  latest_invoice: v.nullish(v.union([InvoiceSchema, v.pipe(v.unknown(), v.transform(() => null))]), null),
});
export type SubscriptionSchema = v.InferOutput<typeof SubscriptionSchema>;

export const RefundSchema = v.pipe(
  v.object({
    id: v.string(),
    charge: NullableObjectIdSchema,
    status: v.nullish(v.string(), "pending"),
    amount: AmountSchema,
    currency: CurrencySchema,
    created: TimeSchema,
  }),
  v.transform(({ created: createdAt, ...rest }): Refund => ({ ...rest, createdAt })),
);

export const ChargeSchema = v.object({ id: v.string(), customer: NullableObjectIdSchema });

export const CustomerSchema = v.object({
  id: v.string(),
  created: v.nullish(UnixTimeSchema, 0),
  deleted: v.nullish(v.boolean(), false),
  name: v.nullish(v.string(), null),
  email: v.nullish(v.string(), null),
  metadata: Metadata,
});

const EventShape = v.object({
  object: v.literal("event"),
  id: v.string(),
  type: v.string(),
  created: TimeSchema,
  livemode: v.boolean(),
  data: v.object({
    object: v.looseObject({
      id: v.nullish(v.string(), null),
      object: v.nullish(v.string(), null),
      customer: v.optional(v.unknown()),
      charge: v.optional(v.unknown()),
      subscription: v.optional(v.unknown()),
      parent: v.optional(v.unknown()),
    }),
  }),
});

/** Throws PaymentError if the response does not match the schema. `what` describes the object for the error message. */
export function parseResponse<S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const fields = [...new Set(result.issues.map((issue) => v.getDotPath(issue) ?? "the whole object"))].slice(0, 5).join(
    ", ",
  );
  const message = `The payment provider returned an invalid ${what}: ${fields}`;
  throw new PaymentError("bad_answer", message, { transient: true });
}

export function toSubscription(shape: SubscriptionSchema): Subscription {
  return {
    id: shape.id,
    customer: shape.customer,
    federationId: shape.metadata["federationId"] ?? null,
    status: shape.status,
    currency: shape.currency,
    items: shape.items.data,
    invoice: shape.latest_invoice,
  };
}

/** Returns whether the price is a fixed amount per unit and month. The quantity must be set in advance, not metered. */
export function isFixedMonthlyPrice({ recurring, billing_scheme, unit_amount }: PriceSchema): boolean {
  return recurring?.interval === "month" && recurring.interval_count === 1 && billing_scheme === "per_unit" &&
    (recurring.usage_type ?? "licensed") === "licensed" && unit_amount !== null;
}

/** Converts a webhook event. Returns null if the event is invalid. */
export function toProviderEvent(value: unknown): ProviderEvent | null {
  const { success, output } = v.safeParse(EventShape, value);
  if (!success) return null;
  const { object } = output.data;
  const subscription = idIn(object.subscription) ??
    idIn(getPath(object.parent, "subscription_details", "subscription"));
  return {
    id: output.id,
    type: output.type,
    createdAt: output.created,
    live: output.livemode,
    object: {
      id: object.id,
      type: object.object,
      customer: object.object === "customer" ? object.id : idIn(object.customer),
      subscription: object.object === "subscription" ? object.id : subscription,
      charge: object.object === "charge" ? object.id : idIn(object.charge),
    },
  };
}

/** Returns the ID from an object, or the value itself if it is a string. Returns null for any other value. */
function idIn(value: unknown): string | null {
  const id = typeof value === "object" && value !== null ? (value as { id?: unknown }).id : value;
  return typeof id === "string" && id !== "" ? id : null;
}

function getPath(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], value);
}
