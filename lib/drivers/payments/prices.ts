/**
 * The prices of sizes at the provider, each known by a lookup key that says what it is: size, currency and amount.
 *
 * A price cannot be changed there, only made; so another amount in the catalogue is another price, and items that were made
 * with the old one keep it.
 */
import * as v from "valibot";
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { makeOnce } from "#lib/drivers/payments/once.ts";
import { PaymentError, type WantedPrice } from "#lib/drivers/payments/payments.ts";
import { fit, isMonthly, PriceShape } from "#lib/drivers/payments/read.ts";
import { PaymentRefusal } from "#lib/drivers/payments/trouble.ts";

export async function priceFor(client: PaymentClient, wanted: WantedPrice, signal: AbortSignal): Promise<string> {
  const { size, title, currency, monthly } = wanted;
  const lookupKey = lookupKeyOf(wanted);
  const params = {
    currency: currency.toLowerCase(),
    unit_amount: monthly,
    recurring: { interval: "month", usage_type: "licensed" } as const,
    lookup_key: lookupKey,
    metadata: { size },
    product_data: { name: title ?? `Spoke, ${size}`, metadata: { size } },
  };
  const find = () => findPrice(client, wanted, lookupKey, signal);
  return await makeOnce(client, {
    key: `price-${lookupKey}-${await digest(JSON.stringify(params))}`,
    find,
    make: async (idempotencyKey) => {
      try {
        const made = await client.ask(signal, (stripe) => stripe.prices.create(params, { idempotencyKey }));
        return judge(fit(PriceShape, made, "price"), wanted, lookupKey);
      } catch (error) {
        // Another replica was faster, for another hub.
        const found = error instanceof PaymentRefusal && error.status === 400 ? await find() : null;
        if (found === null) throw error;
        return found;
      }
    },
  }, signal);
}

function lookupKeyOf({ size, currency, monthly }: WantedPrice): string {
  return `wheelwright-${size}-${currency}-${monthly}`;
}

async function findPrice(client: PaymentClient, wanted: WantedPrice, lookupKey: string, signal: AbortSignal) {
  const answer = await client.ask(signal, (stripe) => stripe.prices.list({ lookup_keys: [lookupKey], limit: 1 }));
  const { data: [found] } = fit(v.object({ data: v.array(PriceShape) }), answer, "list of prices");
  return found ? judge(found, wanted, lookupKey) : null;
}

/** A person who made a price of this name by hand may have meant something else: it is not charged. */
function judge(price: PriceShape, { currency, monthly }: WantedPrice, lookupKey: string): string {
  const fits = price.currency === currency && price.unit_amount === monthly && isMonthly(price);
  if (fits && price.active) return price.id;
  const is = fits ? "archived" : `not ${monthly} ${currency} a month for each`;
  throw new PaymentError("price_differs", `The price ${lookupKey} at the payment provider is ${is}`, {
    transient: false,
    hint: `Fix it there, or remove the lookup key ${lookupKey} from it. Then a new price is created.`,
  });
}

/** The title may change: a key that was used with another one would clash. */
async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(hash).toString("hex").slice(0, 16);
}
