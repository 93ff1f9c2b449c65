/**
 * Manages the provider's prices for sizes. A price's lookup key contains the size, currency and amount. Prices cannot
 * be changed: a new amount in the catalog creates a new price, and existing items keep the old price.
 */
import * as v from "valibot";
import type { PaymentCalls } from "#lib/drivers/payments/client.ts";
import { createOnce } from "#lib/drivers/payments/create-once.ts";
import { PaymentError, type PriceRequest } from "#lib/drivers/payments/payments.ts";
import { isFixedMonthlyPrice, parseResponse, PriceSchema } from "#lib/drivers/payments/schemas.ts";
import { PaymentRefusal } from "#lib/drivers/payments/errors.ts";

export async function findOrCreatePrice(client: PaymentCalls, request: PriceRequest): Promise<string> {
  const { size, title, currency, monthly } = request;
  const lookupKey = lookupKeyOf(request);
  const params = {
    currency: currency.toLowerCase(),
    unit_amount: monthly,
    recurring: { interval: "month", usage_type: "licensed" } as const,
    lookup_key: lookupKey,
    metadata: { size },
    product_data: { name: title ?? `Spoke, ${size}`, metadata: { size } },
  };
  const find = () => findPrice(client, request, lookupKey);
  return await createOnce(client, {
    key: `price-${lookupKey}-${await digest(JSON.stringify(params))}`,
    find,
    create: async (idempotencyKey) => {
      try {
        const response = await client.call((stripe) => stripe.prices.create(params, { idempotencyKey }));
        return requireMatchingPrice(parseResponse(PriceSchema, response, "price"), request, lookupKey);
      } catch (error) {
        // Finds the price if another replica created it in the meantime, for another hub.
        const found = error instanceof PaymentRefusal && error.status === 400 ? await find() : null;
        if (found === null) throw error;
        return found;
      }
    },
  });
}

function lookupKeyOf({ size, currency, monthly }: PriceRequest): string {
  return `wheelwright-${size}-${currency}-${monthly}`;
}

async function findPrice(client: PaymentCalls, request: PriceRequest, lookupKey: string) {
  const answer = await client.call((stripe) => stripe.prices.list({ lookup_keys: [lookupKey], limit: 1 }));
  const { data: [found] } = parseResponse(v.object({ data: v.array(PriceSchema) }), answer, "list of prices");
  return found ? requireMatchingPrice(found, request, lookupKey) : null;
}

/** Throws if the price differs, because somebody may have created the price manually for another purpose. */
function requireMatchingPrice(price: PriceSchema, { currency, monthly }: PriceRequest, lookupKey: string): string {
  const fits = price.currency === currency && price.unit_amount === monthly && isFixedMonthlyPrice(price);
  if (fits && price.active) return price.id;
  const problem = fits ? "archived" : `not ${monthly} ${currency} a month per spoke`;
  throw new PaymentError("price_differs", `The price ${lookupKey} at the payment provider is ${problem}`, {
    transient: false,
    hint: `Fix the price in Stripe, or remove its lookup key ${lookupKey} so that a new price is created.`,
  });
}

/** Hashes a price's parameters for the idempotency key, because a changed title requires a different key. */
async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(hash).toString("hex").slice(0, 16);
}
