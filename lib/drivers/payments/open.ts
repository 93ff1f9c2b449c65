/** Opens the payment provider, Stripe. Its package is loaded at first use. */
import { type ClientOptions, nullIfMissing, openPaymentClient } from "#lib/drivers/payments/client.ts";
import { customerFor, describeCustomer } from "#lib/drivers/payments/customers.ts";
import { readEvent } from "#lib/drivers/payments/events.ts";
import { PaymentError, type Payments } from "#lib/drivers/payments/payments.ts";
import { preview } from "#lib/drivers/payments/preview.ts";
import { priceFor } from "#lib/drivers/payments/prices.ts";
import { readRefunds } from "#lib/drivers/payments/refunds.ts";
import {
  createSubscription,
  endSubscription,
  findSubscription,
  readOpen,
  readSubscription,
  setQuantities,
} from "#lib/drivers/payments/subscriptions.ts";

export type PaymentsOptions = ClientOptions;

export function openPayments(options: PaymentsOptions): Payments {
  const client = openPaymentClient(options);
  return {
    check: async (signal) => void await client.call(signal, (stripe) => stripe.prices.list({ limit: 1 })),
    priceFor: (wanted, signal) => priceFor(client, wanted, signal),
    customerFor: (wanted, signal) => customerFor(client, wanted, signal),
    async updateCustomer(id, wanted, signal) {
      if (await describeCustomer(client, id, wanted, signal) !== null) return;
      throw new PaymentError("customer_gone", `The customer ${id} no longer exists`, { transient: false });
    },
    findSubscription: (of, signal) => findSubscription(client, of, signal),
    createSubscription: (wanted, signal) => createSubscription(client, wanted, signal),
    readSubscription: (id, signal) => readSubscription(client, id, signal),
    setQuantities: async (id, items, signal) =>
      await setQuantities(client, await readOpen(client, id, signal), items, signal),
    endSubscription: (id, signal) => endSubscription(client, id, signal),
    preview: (change, signal) => preview(client, change, signal),
    readRefunds: (of, signal) => nullIfMissing(readRefunds(client, of, signal)),
    readEvent: (body, signature, now) => readEvent(client, { body, signature, now, secret: options.webhookSecret }),
  };
}
