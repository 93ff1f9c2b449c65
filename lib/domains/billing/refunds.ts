/** Records refunds to a hub's customer, each refund only once. */
import { type AuditEntry, buildHubSubject } from "#lib/audit/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Refund } from "#lib/drivers/payments/payments.ts";

/**
 * Stores successful refunds that are not stored yet. Returns audit events, which must be recorded last in the
 * transaction. Pending refunds are skipped, because the provider sends another event when a refund succeeds.
 */
export async function recordRefunds(tx: Tx, federationId: string, refunds: readonly Refund[]): Promise<AuditEntry[]> {
  const byId = new Map(refunds.map((refund) => [refund.id, refund])); // pages of a growing list may overlap
  const succeeded = [...byId.values()].filter(({ status }) => status === "succeeded");
  if (succeeded.length === 0) return [];
  const inserted = await tx.insertInto("billing_refunds").values(succeeded.map((
    { id, charge: chargeId, amount, currency, createdAt },
  ) => ({ id, federationId, chargeId, amount, currency, createdAt }))).onConflict((conflict) =>
    conflict.column("id").doNothing()
  ).returning("id").execute();
  const newIds = new Set(inserted.map(({ id }) => id));
  return succeeded.filter(({ id }) => newIds.has(id)).map(({ id, amount, currency }) => ({
    kind: "billing_subscription_refunded",
    ...buildHubSubject(federationId),
    metadata: { refund: id, amount, currency },
  }));
}
