/**
 * What the provider showed of a hub's subscription, written down, with what of it is news.
 *
 * The code that fetched it (the sync, an event, the reconciliation) hands it here, in the hub's lane and so in the
 * order in which it was fetched: the row is always the last look, and a dunning is told once for as long as it lasts,
 * however often it is seen and in whatever order the provider's events arrive.
 */
import { type RawBuilder, sql } from "kysely";
import { type AuditEntry, onHub } from "#lib/audit/store.ts";
import type { Quantities } from "#lib/domains/billing/billed.ts";
import {
  type BillingComparison,
  type BillingNews,
  compareSubscription,
  type StoredBilling,
} from "#lib/domains/billing/compare.ts";
import { type SubscriptionRow, updateSubscription } from "#lib/domains/billing/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Log } from "#lib/base/log.ts";
import type { Invoice, Subscription } from "#lib/drivers/payments/payments.ts";

/** An invoice as the row keeps it: JSON has no dates. */
type StoredInvoice = Omit<Invoice, "dueAt"> & { readonly dueAt: string | null };

const now = (): RawBuilder<Date> => sql<Date>`wheelwright_now()`;

/**
 * Writes what was seen into the row, which the caller has locked and read in this transaction, and returns what of it is
 * news: to be recorded last in the same transaction. Null is seen where the provider knows the subscription no more. Of a
 * subscription that was just told something, `row.told` is that already. `billed` is what is to be billed now.
 */
export async function saveSubscription(
  tx: Tx,
  row: SubscriptionRow,
  observed: Subscription | null,
  billed: Quantities,
): Promise<AuditEntry[]> {
  const comparison = compareSubscription(row as StoredBilling, observed, billed);
  const { status, items, dunning, difference } = comparison;
  // Whatever else is gone: what is owed is owed.
  const invoice = observed ? toStoredInvoice(observed) : row.invoice as StoredInvoice | null;
  await updateSubscription(tx, row.federationId, {
    ...(observed && { subscriptionId: observed.id, currency: observed.currency }),
    status,
    items: JSON.stringify(items),
    invoice: invoice && JSON.stringify(invoice),
    difference: difference && JSON.stringify(difference),
    pastDueSince: dunning === "none" ? null : dunning === "begins" ? now() : row.pastDueSince ?? now(),
    seenAt: now(),
  });
  return comparison.news.map((news) => ({
    kind: news.kind,
    ...onHub(row.federationId),
    metadata: metadataOf(news, comparison, invoice),
  }));
}

/** Tells operators of what differs, once that is written. */
export function warnAboutDifference(log: Log, entries: readonly AuditEntry[]): void {
  for (const { kind, federationId, metadata } of entries) {
    if (kind !== "billing_difference_found") continue;
    log.warn("Billed quantities differ from the spokes; check the subscription", {
      federation: federationId,
      ...metadata,
    });
  }
}

function toStoredInvoice({ invoice }: Subscription): StoredInvoice | null {
  return invoice && { ...invoice, dueAt: invoice.dueAt?.toISOString() ?? null };
}

/** The address of the invoice's page is left out: everybody who has it may see the invoice. */
function metadataOf(
  news: BillingNews,
  { status }: BillingComparison,
  invoice: StoredInvoice | null,
): Readonly<Record<string, unknown>> {
  if (news.kind === "billing_subscription_updated") return { ...news.changes };
  if (news.kind === "billing_difference_found") return { difference: news.difference };
  return {
    status,
    amountDue: invoice?.remaining ?? null,
    currency: invoice?.currency ?? null,
    invoice: invoice?.number ?? null,
    dueAt: invoice?.dueAt ?? null,
  };
}
