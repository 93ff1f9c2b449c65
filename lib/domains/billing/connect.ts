/**
 * Connects a hub to billing when a request for a new hub is approved, or when an operator requests it, and shows a hub's
 * billing. Sends nothing to the payment provider, so an unavailable provider never blocks an approval. To avoid deadlocks
 * with a running sync, the sync job is queued before the subscription's row is locked.
 */
import type { App } from "#lib/app.ts";
import { type AuditEntry, buildHubSubject } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createBillingSyncJob, SYNC_BILLING_JOB } from "#lib/domains/billing/jobs.ts";
import {
  findSubscriptionRow,
  insertSubscription,
  lockSubscription,
  updateSubscription,
} from "#lib/domains/billing/store.ts";
import type { BillingAddress, BillingRecord } from "#lib/domains/billing/views.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { hasSubscriptionEnded, type SubscriptionItem } from "#lib/drivers/payments/payments.ts";
import { type BilledHub, needsBillingSync, readBilledHub } from "#lib/domains/billing/hubs.ts";
import type { BillingDifference } from "#lib/domains/billing/compare.ts";

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

const NOT_BILLED: BillingRecord = {
  connected: false,
  email: null,
  status: null,
  pastDueSince: null,
  currency: null,
  items: [],
  monthly: null,
  invoice: null,
  pending: false,
  difference: null,
  error: null,
  checkedAt: null,
};

export async function showBilling(
  { db, catalog }: Pick<App, "db" | "catalog">,
  actor: Pick<Actor, "role">,
  { id }: { readonly id: string },
): Promise<BillingRecord> {
  const hub = await readBilledHub(db.rows, id);
  if (!hub) return NOT_BILLED;
  const { row } = hub,
    items = (row.items as SubscriptionItem[]).map(showItem),
    pending = needsBillingSync(hub, catalog);
  return {
    connected: true,
    email: row.email,
    status: row.status,
    pastDueSince: row.pastDueSince,
    currency: row.currency,
    items,
    monthly: sumOf(items),
    invoice: row.invoice,
    pending,
    difference: describeDifference(row.difference as BillingDifference | null),
    error: pending && actor.role === "operator" ? await findSyncError(db.rows, hub) : null,
    checkedAt: row.checkedAt,
  };
}

function showItem({ size, quantity, monthly }: SubscriptionItem): BillingRecord["items"][number] {
  return { size, quantity, monthly: monthly === null ? null : monthly * quantity };
}

/** Returns the sum of the items' monthly amounts. Null if there are no items or an item has no amount. */
function sumOf(items: BillingRecord["items"]): number | null {
  if (items.length === 0 || items.some(({ monthly }) => monthly === null)) return null;
  return items.reduce((sum, { monthly }) => sum + monthly!, 0);
}

function describeDifference(difference: BillingDifference | null): BillingRecord["difference"] {
  if (difference === null) return null;
  if (typeof difference === "string") return { message: difference, sizes: [] };
  const parts = difference.map(({ size, spokes, billed }) => `${billed} instead of ${spokes} spokes of size ${size}`);
  return { message: `The payment provider bills ${parts.join(", ")}`, sizes: [...difference] };
}

/** Returns the stored error from the payment provider, or else the last error of a queued or running sync job. */
async function findSyncError(rows: RowQueries, { row }: BilledHub): Promise<string | null> {
  if (row.error !== null) return row.error;
  const live = await rows.selectFrom("jobs").select("failure")
    .where("dedupeKey", "=", `${SYNC_BILLING_JOB.kind}:${row.federationId}`)
    .where("state", "in", ["queued", "running"]).executeTakeFirst();
  return live?.failure?.message ?? null;
}
