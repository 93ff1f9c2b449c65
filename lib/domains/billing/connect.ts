/**
 * Connects a hub to billing when a request for a new hub is approved, or when an operator requests it. Sends nothing to
 * the payment provider, so an unavailable provider never blocks an approval. To avoid deadlocks with a running sync,
 * the sync job is queued before the subscription's row is locked.
 */
import type { App } from "#lib/app.ts";
import { type AuditEntry, buildHubSubject } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createBillingSyncJob } from "#lib/domains/billing/jobs.ts";
import { showBilling } from "#lib/domains/billing/show.ts";
import {
  findSubscriptionRow,
  insertSubscription,
  lockSubscription,
  updateSubscription,
} from "#lib/domains/billing/store.ts";
import type { BillingAddress, BillingRecord } from "#lib/domains/billing/views.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { hasSubscriptionEnded } from "#lib/drivers/payments/payments.ts";

interface Hub {
  readonly id: string;
}

/**
 * Marks a hub as billed, or changes the hub's billing address. Returns audit events, which must be recorded last in the
 * transaction. Returns no events if nothing changed.
 */
export async function markHubBilled(tx: Tx, { id }: Hub, email: string): Promise<AuditEntry[]> {
  const entry = { kind: "billing_connected", ...buildHubSubject(id) } as const;
  if (await insertSubscription(tx, { federationId: id, email })) return [{ ...entry, metadata: { email } }];
  const { email: from } = (await lockSubscription(tx, id))!;
  if (from === email) return [];
  await updateSubscription(tx, id, { email, ...RESYNC });
  return [{ ...entry, metadata: { email, from } }];
}

/** Connects a hub to billing. Idempotent for the same email address. Throws a `missing` fault (`billing_off`). */
export async function connectBilling(
  app: App,
  actor: Actor,
  hub: Hub,
  { email }: BillingAddress,
): Promise<BillingRecord> {
  requireProvider(app);
  await app.db.transact(async (tx) => {
    if ((await findSubscriptionRow(tx, hub.id))?.email === email) return;
    await recordChange(tx, actor, { jobs: [createBillingSyncJob(hub.id)] });
    const audit = await markHubBilled(tx, hub, email);
    if (audit.length > 0) await recordChange(tx, actor, { audit });
  });
  return await showBilling(app, actor, hub);
}

/**
 * Sends a hub's complete billing state to the payment provider again. This also reverts manual changes at the provider.
 * If the subscription has ended and the hub has billable spokes, a new subscription is created. Throws a fault:
 * `missing` (`billing_off`) or `conflict` (`not_billed`).
 */
export async function reconcileBilling(app: App, actor: Actor, hub: Hub): Promise<BillingRecord> {
  requireProvider(app);
  await app.db.transact(async (tx) => {
    await recordChange(tx, actor, { jobs: [createBillingSyncJob(hub.id)] });
    const row = await lockSubscription(tx, hub.id);
    if (!row) {
      const message = "Cannot reconcile a hub that is not connected to billing; connect the hub first";
      throw new Fault("conflict", "not_billed", message);
    }
    await updateSubscription(tx, hub.id, { ...RESYNC, ...(hasSubscriptionEnded(row) && NO_SUBSCRIPTION) });
    await recordChange(tx, actor, {
      audit: [{
        kind: "billing_reconcile_requested",
        ...buildHubSubject(hub.id),
        metadata: { customer: row.customerId, subscription: row.subscriptionId, status: row.status },
      }],
    });
  });
  return await showBilling(app, actor, hub);
}

/** Column values that make the next sync send all quantities immediately, without waiting for a retry time. */
const RESYNC = { sentQuantities: null, retryAt: null, error: null };
const NO_SUBSCRIPTION = { subscriptionId: null, status: null, items: "[]", pastDueSince: null };

function requireProvider({ payments }: Pick<App, "payments">): void {
  if (!payments) throw new Fault("missing", "billing_off", "No payment provider is connected to this service");
}
