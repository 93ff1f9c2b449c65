/** Creates a customer and two prices at the simulated provider. Sets the provider's clock to the first of a month. */
import type Stripe from "stripe";
import { clientOf } from "#test/support/provider/client.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";
import { rejection } from "#test/support/until.ts";

export interface ProviderScene {
  provider: Provider;
  stripe: Stripe;
  /** The IDs of two prices: 10.00 and 31.00 per month. In December, 31.00 per month is 1.00 per day. */
  small: string;
  large: string;
  customer: string;
}

export const DAY = 24 * 60 * 60;
export const START = Date.UTC(2026, 11, 1) / 1000;

/** Creates the customer and prices for a test. Call this function in uvu's `before.each`. */
export async function fillCustomer(scene: ProviderScene): Promise<void> {
  const provider = await openProvider(), stripe = clientOf(provider);
  provider.setNow(START);
  const { id: customer } = await stripe.customers.create();
  Object.assign(scene, { provider, stripe, customer });
  [scene.small, scene.large] = [await makePrice(scene, 1000), await makePrice(scene, 3100)];
}

export async function makePrice({ stripe }: ProviderScene, unit_amount: number, more: object = {}): Promise<string> {
  const monthly = { currency: "eur", recurring: { interval: "month" as const }, product_data: { name: "Spoke" } };
  return (await stripe.prices.create({ ...monthly, unit_amount, ...more })).id;
}

/** Creates a subscription with invoices that the customer must pay within 14 days. */
export async function subscribe(
  { stripe, customer }: ProviderScene,
  ...items: (readonly [price: string, quantity: number])[]
): Promise<Stripe.Subscription> {
  return await stripe.subscriptions.create({
    customer,
    collection_method: "send_invoice",
    days_until_due: 14,
    items: items.map(([price, quantity]) => ({ price, quantity })),
    expand: ["latest_invoice"],
  });
}

/** Returns the rejected request's status, error code and parameter. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown[]> {
  const { statusCode, code, param } = await rejection(promise) as Stripe.errors.StripeError;
  return [statusCode, code ?? null, param ?? null];
}

export function invoiceOf({ latest_invoice: invoice }: Stripe.Subscription): Stripe.Invoice {
  return invoice as Stripe.Invoice;
}

/** Returns each line's price, quantity and amount, and whether the line is a proration. */
export function linesOf({ lines }: Stripe.Invoice): unknown[] {
  return lines.data.map((line) => [line.pricing!.price_details!.price, line.quantity, line.amount, isProration(line)]);
}

export function isProration({ parent }: Stripe.InvoiceLineItem): boolean {
  return parent!.subscription_item_details!.proration;
}
