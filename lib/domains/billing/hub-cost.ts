/**
 * Adds up what a hub's spokes cost per month: as the payment provider bills them, or else at the catalog's prices. Each
 * missing amount has a reason. Amounts in different currencies are never added together.
 */
import type { App } from "#lib/app.ts";
import { readBilledHub } from "#lib/domains/billing/hubs.ts";
import { type BilledQuantities, countBilledSpokes, type SubscriptionRow } from "#lib/domains/billing/store.ts";
import type { HubCost } from "#lib/domains/billing/views.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { hasSubscriptionEnded, PaymentError, type SubscriptionItem } from "#lib/drivers/payments/payments.ts";

type CostDependencies = Pick<App, "catalog" | "db" | "log" | "payments">;
type CostLine = HubCost["lines"][number];

export async function readHubCost(
  app: CostDependencies,
  { id }: { readonly id: string },
  signal: AbortSignal,
): Promise<HubCost> {
  const hub = app.payments ? await readBilledHub(app.db.rows, id) : undefined;
  const counts = hub?.counts ?? await countBilledSpokes(app.db.rows, id);
  const reason = findCatalogReason(app, hub?.row);
  if (reason !== null || !hub) {
    return buildHubCost(listCatalogLines(counts, app.catalog), {
      reason,
      nextInvoice: null,
      nextInvoiceReason: reason,
    });
  }
  const lines = listProviderLines(hub.row, counts, app.catalog);
  return buildHubCost(lines, { reason: null, ...await estimateNextInvoice(app, hub.row, signal) });
}

/** Returns why a hub's cost is computed from the catalog's prices, or null if the provider bills the hub. */
function findCatalogReason({ payments }: CostDependencies, row: SubscriptionRow | undefined): string | null {
  if (!payments) return "No payment provider is connected to this service; these are the catalog's prices";
  if (!row) return "This hub is not billed; these are the catalog's prices";
  if (row.subscriptionId === null || row.customerId === null) {
    return "The hub's subscription has not started yet; these are the catalog's prices";
  }
  return hasSubscriptionEnded(row) ? "The hub's subscription has ended; these are the catalog's prices" : null;
}

export function listCatalogLines(counts: BilledQuantities, { priceOf }: Pick<Catalog, "priceOf">): CostLine[] {
  return sortLines(
    Object.entries(counts).map(([size, spokes]) => {
      const price = priceOf(size);
      return price
        ? {
          ...{ size, spokes, each: price.monthly, monthly: price.monthly * spokes, currency: price.currency },
          reason: null,
        }
        : { size, spokes, each: null, monthly: null, currency: null, reason: "The catalog has no price for this size" };
    }),
  );
}

/** Sorts lines by size. Lines without a size are last. */
function sortLines(lines: readonly CostLine[]): CostLine[] {
  return lines.toSorted((one, other) =>
    one.size === null || other.size === null
      ? Number(one.size === null) - Number(other.size === null)
      : one.size.localeCompare(other.size, "en")
  );
}

/** Lists the subscription's items, and the sizes of spokes for which the subscription has no item. */
export function listProviderLines(
  row: Pick<SubscriptionRow, "items" | "currency">,
  counts: BilledQuantities,
  { priceOf }: Pick<Catalog, "priceOf">,
): CostLine[] {
  const items = row.items as SubscriptionItem[], billedSizes = new Set(items.map(({ size }) => size));
  const billed = items.filter(({ quantity }) => quantity > 0).map(({ size, quantity: spokes, monthly: each }) =>
    each === null
      ? {
        ...{ size, spokes, each, monthly: null, currency: null },
        reason: "The payment provider does not charge a fixed amount per month",
      }
      : { size, spokes, each, monthly: each * spokes, currency: row.currency, reason: null }
  );
  const others = Object.entries(counts).filter(([size]) => !billedSizes.has(size)).map(([size, spokes]) => ({
    ...{ size, spokes, each: null, monthly: null, currency: null },
    reason: priceOf(size) === null
      ? "The catalog has no price for this size, so these spokes are free"
      : "The payment provider does not bill these spokes yet",
  }));
  return sortLines([...billed, ...others]);
}

export function buildHubCost(
  lines: readonly CostLine[],
  rest: Pick<HubCost, "reason" | "nextInvoice" | "nextInvoiceReason">,
): HubCost {
  const totals = new Map<string, number>();
  for (const { currency, monthly } of lines) {
    if (currency !== null && monthly !== null) totals.set(currency, (totals.get(currency) ?? 0) + monthly);
  }
  return {
    prices: rest.reason === null ? "provider" : "catalog",
    lines: [...lines],
    totals: [...totals].map(([currency, monthly]) => ({ currency, monthly })),
    ...rest,
  };
}

async function estimateNextInvoice(
  { payments, log }: CostDependencies,
  { customerId, subscriptionId }: SubscriptionRow,
  signal: AbortSignal,
): Promise<Pick<HubCost, "nextInvoice" | "nextInvoiceReason">> {
  try {
    const request = { customer: customerId!, subscription: subscriptionId! };
    return { nextInvoice: await payments!.nextInvoice(request, signal), nextInvoiceReason: null };
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    const { code, message, hint, transient } = error;
    log[transient ? "warn" : "error"]("Could not estimate the next invoice of a hub", { code, message, hint });
    const nextInvoiceReason = transient
      ? "The payment provider does not respond; try again"
      : "The payment provider could not estimate the next invoice";
    return { nextInvoice: null, nextInvoiceReason };
  }
}
