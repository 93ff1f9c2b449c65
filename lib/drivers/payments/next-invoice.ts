/**
 * Estimates a subscription's next invoice with the provider's invoice preview. Keeps each estimate for a minute, because
 * open pages request it repeatedly.
 */
import * as v from "valibot";
import { runCancellable } from "#lib/base/cancellation.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { type NextInvoice, type NextInvoiceRequest, PaymentError } from "#lib/drivers/payments/payments.ts";
import { AmountSchema, CurrencySchema, parseResponse, TimeSchema } from "#lib/drivers/payments/schemas.ts";

const MAX_ESTIMATES = 500;
/** Shorter than for other previews, because a page that shows much more waits for it. */
const TIMEOUT = 3 * SECOND;
/** How long an error is kept, so that an unavailable provider does not delay each request. */
const ERROR_TIME = 15 * SECOND;

const NextInvoiceSchema = v.pipe(
  v.object({ currency: CurrencySchema, total: AmountSchema, amount_due: AmountSchema, period_end: TimeSchema }),
  v.transform(({ currency, total, amount_due: due, period_end: at }): NextInvoice => ({ currency, total, due, at })),
);

export interface NextInvoiceReader {
  read(request: NextInvoiceRequest, signal: AbortSignal): Promise<NextInvoice>;
  /** Drops the estimate, because the subscription has changed. */
  forget(subscription: string): void;
}

/** Creates a reader with its own estimates. `now` is a monotonic clock in milliseconds. */
export function createNextInvoiceReader(client: PaymentClient, now = () => performance.now()): NextInvoiceReader {
  const estimates = new Map<string, { readonly result: NextInvoice | PaymentError; readonly until: number }>();
  const store = (subscription: string, result: NextInvoice | PaymentError, ms: number): void => {
    estimates.delete(subscription);
    estimates.set(subscription, { result, until: now() + ms });
    if (estimates.size > MAX_ESTIMATES) estimates.delete(estimates.keys().next().value!);
  };
  return {
    async read(request, signal) {
      const stored = estimates.get(request.subscription);
      if (stored && stored.until > now()) {
        if (stored.result instanceof PaymentError) throw stored.result;
        return stored.result;
      }
      try {
        const invoice = await readNextInvoice(client, request, signal);
        store(request.subscription, invoice, MINUTE);
        return invoice;
      } catch (error) {
        if (error instanceof PaymentError) store(request.subscription, error, ERROR_TIME);
        throw error;
      }
    },
    forget: (subscription) => void estimates.delete(subscription),
  };
}

async function readNextInvoice(
  client: PaymentClient,
  { customer, subscription }: NextInvoiceRequest,
  signal: AbortSignal,
): Promise<NextInvoice> {
  const ms = Math.min(client.previewTimeoutMs, TIMEOUT);
  const message = `The payment provider did not return the next invoice within ${ms} ms`;
  const createError = () => new PaymentError("deadline", message, { transient: true });
  return await runCancellable([signal], { ms, createError }, async (limited) => {
    const answer = await client.previewUntil(limited).call((stripe) =>
      stripe.invoices.createPreview({ customer, subscription })
    );
    return parseResponse(NextInvoiceSchema, answer, "preview of the next invoice");
  });
}
