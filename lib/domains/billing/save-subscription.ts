/**
 * Saves a hub's subscription as observed at the payment provider. Callers are jobs in the hub's billing lane (queue).
 */
import { type RawBuilder, sql } from "kysely";
import { type AuditEntry, buildHubSubject } from "#lib/audit/store.ts";
import { type BilledQuantities, type SubscriptionRow, updateSubscription } from "#lib/domains/billing/store.ts";
import {
  type BillingChange,
  type BillingComparison,
  compareSubscription,
  type StoredSubscription,
} from "#lib/domains/billing/compare.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Log } from "#lib/base/log.ts";
import type { Invoice, Subscription } from "#lib/drivers/payments/payments.ts";

/** An invoice as stored in a JSON column. The due date is a string, because JSON has no date type. */
type StoredInvoice = Omit<Invoice, "dueAt"> & { readonly dueAt: string | null };

const now = (): RawBuilder<Date> => sql<Date>`wheelwright_now()`;

/**
 * Saves the observed subscription in `row`, which the caller has locked. Returns audit events, which must be recorded
 * last in the transaction. `observed` is null if the payment provider no longer has the subscription. `billed` contains
 * the quantities to bill now. After a sync, the caller must first update `row.sentQuantities`.
 */
export async function saveSubscription(
  tx: Tx,
  row: SubscriptionRow,
  observed: Subscription | null,
  billed: BilledQuantities,
): Promise<AuditEntry[]> {
  const comparison = compareSubscription(row as StoredSubscription, observed, billed);
  const { status, items, dunning, difference } = comparison;
  // Keeps the invoice if the provider no longer has the subscription, because the invoice may still be open.
  const invoice = observed ? toStoredInvoice(observed) : row.invoice as StoredInvoice | null;
  await updateSubscription(tx, row.federationId, {
    ...(observed && { subscriptionId: observed.id, currency: observed.currency }),
    status,
    items: JSON.stringify(items),
    invoice: invoice && JSON.stringify(invoice),
    difference: difference && JSON.stringify(difference),
    pastDueSince: dunning === "none" ? null : dunning === "begins" ? now() : row.pastDueSince ?? now(),
    checkedAt: now(),
  });
  return comparison.changes.map((change) => ({
    kind: change.kind,
    ...buildHubSubject(row.federationId),
    metadata: metadataOf(change, comparison, invoice),
  }));
}

/** Logs a warning for each difference between billed and existing spokes. Call this after saving the differences. */
export function logBillingDifferences(log: Log, entries: readonly AuditEntry[]): void {
  for (const { kind, federationId, metadata } of entries) {
    if (kind !== "billing_difference_found") continue;
    log.warn("Billed quantities differ from the numbers of spokes; check the subscription", {
      federation: federationId,
      ...metadata,
    });
  }
}

function toStoredInvoice({ invoice }: Subscription): StoredInvoice | null {
  return invoice && { ...invoice, dueAt: invoice.dueAt?.toISOString() ?? null };
}

/** Returns metadata for an audit event. Omits the invoice's URL, because anybody with this URL can open the invoice. */
function metadataOf(
  change: BillingChange,
  { status }: BillingComparison,
  invoice: StoredInvoice | null,
): Readonly<Record<string, unknown>> {
  if (change.kind === "billing_subscription_updated") return { ...change.changes };
  if (change.kind === "billing_difference_found") return { difference: change.difference };
  return {
    status,
    amountDue: invoice?.remaining ?? null,
    currency: invoice?.currency ?? null,
    invoice: invoice?.number ?? null,
    dueAt: invoice?.dueAt ?? null,
  };
}
