/**
 * Who is billed, and where the provider writes to: a hub is connected when its request is approved, or by an operator.
 *
 * Nothing is asked of the provider here. The row says that the hub is billed; the next plan finds that the provider was told
 * nothing yet. So a provider that is away neither fails an approval nor is anything half done.
 *
 * Code that queues a sync here does so before the row is locked: a running one holds its job while it waits for the row.
 */
import type { App } from "#lib/app.ts";
import { type AuditEntry, onHub } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { syncJob } from "#lib/domains/billing/jobs.ts";
import { showBilling } from "#lib/domains/billing/show.ts";
import {
  findSubscriptionRow,
  insertSubscription,
  lockSubscription,
  updateSubscription,
} from "#lib/domains/billing/store.ts";
import type { BillingAddress, BillingRecord } from "#lib/domains/billing/views.ts";
import { record } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { hasEnded } from "#lib/drivers/payments/payments.ts";

/** The hub that it is about. */
interface Hub {
  readonly id: string;
}

/**
 * Writes that the hub is billed from now on, or by another address; what it returns is to be recorded last in the same
 * transaction. Nothing where it is so already.
 */
export async function connectHub(tx: Tx, { id }: Hub, email: string): Promise<AuditEntry[]> {
  const entry = { kind: "billing_connected", ...onHub(id) } as const;
  if (await insertSubscription(tx, { federationId: id, email })) return [{ ...entry, metadata: { email } }];
  const { email: from } = (await lockSubscription(tx, id))!;
  if (from === email) return [];
  await updateSubscription(tx, id, { email, ...RESYNC });
  return [{ ...entry, metadata: { email, from } }];
}

/** Idempotent on hub and address. Throws Fault missing `billing_off`. */
export async function connectBilling(
  app: App,
  actor: Actor,
  hub: Hub,
  { email }: BillingAddress,
): Promise<BillingRecord> {
  requireProvider(app);
  await app.db.transact(async (tx) => {
    if ((await findSubscriptionRow(tx, hub.id))?.email === email) return;
    await record(tx, actor, { jobs: [syncJob(hub.id)] });
    const audit = await connectHub(tx, hub, email);
    if (audit.length > 0) await record(tx, actor, { audit });
  });
  return await showBilling(app, actor, hub);
}

/**
 * Has the provider told anew what there is, also where somebody changed it there. A subscription that has ended is
 * forgotten, and another made when there is something to be billed. Throws Fault missing `billing_off`, conflict
 * `not_billed`.
 */
export async function reconcileBilling(app: App, actor: Actor, hub: Hub): Promise<BillingRecord> {
  requireProvider(app);
  await app.db.transact(async (tx) => {
    await record(tx, actor, { jobs: [syncJob(hub.id)] });
    const row = await lockSubscription(tx, hub.id);
    if (!row) throw new Fault("conflict", "not_billed", "Cannot reconcile a hub that is not billed; connect it first");
    await updateSubscription(tx, hub.id, { ...RESYNC, ...(hasEnded(row) && NO_SUBSCRIPTION) });
    await record(tx, actor, {
      audit: [{
        kind: "billing_reconcile_requested",
        ...onHub(hub.id),
        metadata: { customer: row.customerId, subscription: row.subscriptionId, status: row.status },
      }],
    });
  });
  return await showBilling(app, actor, hub);
}

/** The provider is to be told everything, and at once. */
const RESYNC = { told: null, retryAt: null, error: null };
const NO_SUBSCRIPTION = { subscriptionId: null, status: null, items: "[]", pastDueSince: null };

function requireProvider({ payments }: Pick<App, "payments">): void {
  if (!payments) throw new Fault("missing", "billing_off", "No payment provider is connected to this service");
}
