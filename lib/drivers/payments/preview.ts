/**
 * Previews what a change costs, using the provider's invoice preview. The preview's prorations are due now, and its
 * other lines are due every month. A line's amount does not include the discounts and taxes listed with it.
 */
import * as v from "valibot";
import type { PaymentCalls, PaymentClient } from "#lib/drivers/payments/client.ts";
import { computeItemChanges } from "#lib/drivers/payments/items.ts";
import {
  hasSubscriptionEnded,
  type InvoicePreview,
  type InvoicePreviewRequest,
  PaymentError,
} from "#lib/drivers/payments/payments.ts";
import { findOrCreatePrice } from "#lib/drivers/payments/prices.ts";
import {
  AmountSchema,
  CurrencySchema,
  ObjectIdSchema,
  parseResponse,
  UnixTimeSchema,
} from "#lib/drivers/payments/schemas.ts";
import { readSubscription } from "#lib/drivers/payments/subscriptions.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

const MAX_ATTEMPTS = 2;

const Details = v.nullish(v.object({ proration: v.nullish(v.boolean(), false) }), null);

const InvoiceLineSchema = v.object({
  amount: AmountSchema,
  quantity: v.nullish(v.number(), 0),
  period: v.object({ start: UnixTimeSchema }),
  discount_amounts: v.nullish(v.array(v.object({ amount: AmountSchema })), []),
  taxes: v.nullish(v.array(v.object({ amount: AmountSchema, tax_behavior: v.string() })), []),
  pricing: v.nullish(v.object({ price_details: v.nullish(v.object({ price: ObjectIdSchema }), null) }), null),
  parent: v.nullish(v.object({ subscription_item_details: Details, invoice_item_details: Details }), null),
});
export type InvoiceLine = v.InferOutput<typeof InvoiceLineSchema>;

const Lines = v.object({ data: v.array(InvoiceLineSchema), has_more: v.nullish(v.boolean(), false) });

const PreviewShape = v.object({
  id: v.nullish(v.string(), null),
  currency: CurrencySchema,
  created: UnixTimeSchema,
  lines: Lines,
  parent: v.nullish(
    v.object({
      subscription_details: v.nullish(v.object({ subscription_proration_date: v.nullish(UnixTimeSchema, null) }), null),
    }),
    null,
  ),
});
type PreviewShape = v.InferOutput<typeof PreviewShape>;

export async function readInvoicePreview(
  client: PaymentClient,
  change: InvoicePreviewRequest,
  caller: AbortSignal,
): Promise<InvoicePreview | null> {
  const message = `The payment provider did not return a preview within ${client.previewTimeoutMs} ms`;
  const createTimeoutError = () => new PaymentError("deadline", message, { transient: true });
  return await runCancellable(
    [caller],
    { ms: client.previewTimeoutMs, createError: createTimeoutError },
    async (signal) => {
      for (let attempt = 1;; attempt++) {
        try {
          return await previewOnce(client.previewUntil(signal), change);
        } catch (error) {
          const mayRetry = error instanceof PaymentError && error.transient && error.retryAfterMs === undefined;
          if (!mayRetry || signal.aborted || attempt >= MAX_ATTEMPTS) throw error;
        }
      }
    },
  );
}

async function previewOnce(client: PaymentCalls, change: InvoicePreviewRequest): Promise<InvoicePreview | null> {
  const { customer, subscription } = change;
  const current = subscription === null ? null : await readSubscription(client, subscription);
  if (subscription !== null && (current === null || hasSubscriptionEnded(current))) return null;
  const sizes: PreviewedSize[] = [];
  for (const { size, by, price } of change.sizes) {
    const item = current?.items.find((each) => each.size === size);
    if (!item && by < 0) continue; // a size that was never billed costs nothing to reduce
    if (!item && price === null) return null;
    sizes.push({
      size,
      price: item?.price ?? await findOrCreatePrice(client, price!),
      quantity: Math.max(0, (item?.quantity ?? 0) + by),
      monthly: item ? item.monthly : price!.monthly,
    });
  }
  const items = computeItemChanges(current ?? { items: [] }, sizes);
  if (current === null && items.length === 0) return null; // the first invoice would be empty
  const params = current === null ? { customer, subscription_details: { items } } : {
    customer,
    subscription: current.id,
    subscription_details: { items, proration_behavior: "create_prorations" as const },
  };
  const answer = await client.call((stripe) => stripe.invoices.createPreview(params));
  const shape = await withAllLines(client, parseResponse(PreviewShape, answer, "preview of an invoice"));
  return current === null ? previewFirstInvoice(shape, sizes) : previewSubscriptionChange(shape, sizes);
}

async function withAllLines(client: PaymentCalls, shape: PreviewShape): Promise<PreviewShape> {
  const { id, lines } = shape;
  if (!lines.has_more || id === null) return shape;
  const answer = await client.call((stripe) => stripe.invoices.listLineItems(id, { limit: 100 }));
  return { ...shape, lines: parseResponse(Lines, answer, "list of lines") };
}

/** A size's quantity and price after the change. `monthly` is the price per spoke to use if no invoice line has it. */
interface PreviewedSize {
  readonly size: string;
  readonly price: string;
  readonly quantity: number;
  readonly monthly: number | null;
}

/** Previews a new subscription, whose total is due now and then every month. Has no side effects. */
export function previewFirstInvoice(shape: PreviewShape, sizes: readonly PreviewedSize[]): InvoicePreview {
  const { currency, created, lines } = shape;
  const total = sum(lines.data.map(totalOf));
  const prorationDate = new Date(created * SECOND);
  return { currency, dueNow: total, prorationDate, monthly: total, sizes: monthlyPrices(lines.data, sizes) };
}

/** Previews a subscription change: prorations are due now, other lines every month. Has no side effects. */
export function previewSubscriptionChange(
  { currency, created, lines, parent }: PreviewShape,
  sizes: readonly PreviewedSize[],
): InvoicePreview {
  const [prorations, others] = [lines.data.filter(isProration), lines.data.filter((line) => !isProration(line))];
  const at = parent?.subscription_details?.subscription_proration_date ??
    Math.max(...prorations.map(({ period }) => period.start), prorations.length === 0 ? created : 0);
  const monthly = others.filter((line) => priceOf(line) !== null);
  return {
    currency,
    // Excludes prorations for earlier changes, which have an earlier start and go on the next invoice.
    dueNow: sum(prorations.filter(({ period }) => period.start === at).map(totalOf)),
    prorationDate: new Date(at * SECOND),
    monthly: sum(monthly.map(totalOf)),
    sizes: monthlyPrices(monthly, sizes),
  };
}

function monthlyPrices(lines: readonly InvoiceLine[], sizes: readonly PreviewedSize[]): InvoicePreview["sizes"] {
  return sizes.map(({ size, price, monthly: fallback }) => {
    const sizeLines = lines.filter((line) => priceOf(line) === price);
    const quantity = sum(sizeLines.map((line) => line.quantity));
    const each = quantity > 0 ? Math.round(sum(sizeLines.map(totalOf)) / quantity) : fallback;
    if (each !== null) return { size, each };
    const message = `The payment provider did not return the monthly price for the size ${size}`;
    throw new PaymentError("bad_answer", message, { transient: false });
  });
}

function isProration({ parent }: InvoiceLine): boolean {
  return parent?.subscription_item_details?.proration === true || parent?.invoice_item_details?.proration === true;
}

function priceOf({ pricing }: InvoiceLine): string | null {
  return pricing?.price_details?.price ?? null;
}

/** Returns the amount to pay for a line: its amount minus discounts, plus taxes that are not included. */
function totalOf({ amount, discount_amounts, taxes }: InvoiceLine): number {
  const added = taxes.filter(({ tax_behavior }) => tax_behavior === "exclusive");
  return amount - sum(discount_amounts.map(({ amount }) => amount)) + sum(added.map(({ amount }) => amount));
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, each) => total + each, 0);
}
