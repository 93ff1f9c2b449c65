/** Connects the program's payment driver to the simulated payment provider, to test the driver's requests. */
import { openPaymentProvider, type PaymentProviderOptions } from "#lib/drivers/payments/open.ts";
import type { PaymentProvider, PriceRequest } from "#lib/drivers/payments/payments.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";

export interface PaymentsSetup {
  provider: Provider;
  payments: PaymentProvider;
}

/** A signal that never aborts, for tests in which nothing is cancelled. */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;

export const HUB_ID = "fed_north";
/** Two monthly prices, 31.00 and 62.00: in December, 1.00 and 2.00 per day. */
export const SMALL_PRICE: PriceRequest = { size: "small", title: null, currency: "EUR", monthly: 3100 };
export const LARGE_PRICE: PriceRequest = { size: "large", title: "Large school", currency: "EUR", monthly: 6200 };
/** 1 December 2026 as a Unix time in seconds, and the number of seconds in a day. */
export const DECEMBER_FIRST = Date.UTC(2026, 11, 1) / 1000;
export const SECONDS_PER_DAY = 24 * 60 * 60;

export async function openPaymentsSetup(options: Partial<PaymentProviderOptions> = {}): Promise<PaymentsSetup> {
  const provider = await openProvider();
  provider.setNow(DECEMBER_FIRST);
  return { provider, payments: createPayments(provider, options) };
}

export function createPayments(provider: Provider, options: Partial<PaymentProviderOptions> = {}): PaymentProvider {
  return openPaymentProvider({
    secretKey: provider.key,
    webhookSecret: provider.webhookSecret,
    apiBase: provider.url,
    ...options,
  });
}

export const customerOf = ({ payments }: PaymentsSetup, federationId = HUB_ID): Promise<string> =>
  payments.customerFor({ federationId, name: "Northern schools", email: "pay@north.example" }, NEVER_ABORTED);

/** Returns the provider's received requests from index `from` on, each as text such as "POST /v1/customers". */
export const requestsTo = ({ provider }: PaymentsSetup, from = 0): string[] =>
  provider.calls.slice(from).map(({ method, path }) => `${method} ${path}`);

export const PRICES = JSON.stringify({
  sizes: [
    { name: "small", price: { currency: "EUR", monthly: 3100 } },
    { name: "medium" },
    { name: "large", title: "Large school", price: { currency: "EUR", monthly: 6200 } },
  ],
});
