/** Creates the client for the payment provider, Stripe. Stripe's package is loaded at first use. */
import { nullIfMissing, openPaymentClient, type PaymentClientOptions } from "#lib/drivers/payments/client.ts";
import { findOrCreateCustomer, updateCustomerDetails } from "#lib/drivers/payments/customers.ts";
import { verifyWebhookEvent } from "#lib/drivers/payments/events.ts";
import { PaymentError, type PaymentProvider } from "#lib/drivers/payments/payments.ts";
import { createNextInvoiceReader } from "#lib/drivers/payments/next-invoice.ts";
import { readInvoicePreview } from "#lib/drivers/payments/preview.ts";
import { findOrCreatePrice } from "#lib/drivers/payments/prices.ts";
import { readRefunds } from "#lib/drivers/payments/refunds.ts";
import {
  createSubscription,
  endSubscription,
  findSubscription,
  readOpenSubscription,
  readSubscription,
  setItemQuantities,
} from "#lib/drivers/payments/subscriptions.ts";

export type PaymentProviderOptions = PaymentClientOptions;

export function openPaymentProvider(options: PaymentProviderOptions): PaymentProvider {
  const client = openPaymentClient(options), nextInvoices = createNextInvoiceReader(client);
  return {
    check: async (signal) => void await client.until(signal).call((stripe) => stripe.prices.list({ limit: 1 })),
    priceFor: (request, signal) => findOrCreatePrice(client.until(signal), request),
    customerFor: (request, signal) => findOrCreateCustomer(client.until(signal), request),
    async updateCustomer(id, request, signal) {
      if (await updateCustomerDetails(client.until(signal), id, request) !== null) return;
      throw new PaymentError("customer_gone", `The customer ${id} no longer exists`, { transient: false });
    },
    findSubscription: (object, signal) => findSubscription(client.until(signal), object),
    createSubscription: (request, signal) => createSubscription(client.until(signal), request),
    readSubscription: (id, signal) => readSubscription(client.until(signal), id),
    async setQuantities(id, items, signal) {
      const calls = client.until(signal);
      nextInvoices.forget(id);
      return await setItemQuantities(calls, await readOpenSubscription(calls, id), items);
    },
    endSubscription: (id, signal) => endSubscription(client.until(signal), id),
    nextInvoice: (request, signal) => nextInvoices.read(request, signal),
    preview: (change, signal) => readInvoicePreview(client, change, signal),
    readRefunds: (object, signal) => nullIfMissing(readRefunds(client.until(signal), object)),
    readEvent: (body, signature, now) =>
      verifyWebhookEvent(client, { body, signature, now, secret: options.webhookSecret }),
  };
}
