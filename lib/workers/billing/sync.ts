/**
 * Sends a hub's customer data and billed quantities to the payment provider. The job can be repeated, because it sends
 * totals and first reads the provider's current quantities.
 * Before each call, the stored quantities are set to null (unknown). If the provider's reply is lost, the next run of
 * `plan-billing` therefore queues another sync. A delayed call from a crashed replica may overwrite newer quantities,
 * so another sync follows a minute later.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import {
  type BilledQuantities,
  lockSubscription,
  readBilledQuantities,
  selectBilledQuantities,
  type SubscriptionRow,
  updateSubscription,
} from "#lib/domains/billing/store.ts";
import { type BilledHub, readBilledHub } from "#lib/domains/billing/hubs.ts";
import { createBillingCheckJob, createFollowUpSyncJob, SYNC_BILLING_JOB } from "#lib/domains/billing/jobs.ts";
import { logBillingDifferences, saveSubscription } from "#lib/domains/billing/save-subscription.ts";
import { recordChange } from "#lib/changes/record.ts";
import {
  type CustomerRequest,
  hasSubscriptionEnded,
  PaymentError,
  type PaymentProvider,
  type Subscription,
} from "#lib/drivers/payments/payments.ts";
import { createHandler, type JobHandler, type JobRun, type RunOf } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { applyItemChanges, planItemChanges } from "#lib/workers/billing/quantities.ts";
import { recordBillingFailure } from "#lib/workers/billing/check.ts";

/** The delay before a second sync, in milliseconds. By then, an interrupted call should be complete. */
const FOLLOW_UP_DELAY = MINUTE;

type SyncDependencies = Pick<App, "db" | "catalog" | "log">;
type SyncRun = RunOf<typeof SYNC_BILLING_JOB>;

export function syncBilling(app: SyncDependencies, payments: PaymentProvider): JobHandler {
  const { db, log } = app;
  return createHandler({
    kind: SYNC_BILLING_JOB,
    steps: {
      async customer(run) {
        const hub = await readBilledHub(db.rows, run.job.federationId!);
        // Does not create or update the customer of a removed hub.
        if (hub && !hub.removed) await sendCustomer(run, payments, hub);
      },
      async quantities(run) {
        const hub = await readBilledHub(db.rows, run.job.federationId!);
        if (hub) await sendQuantities(app, run, payments, hub);
      },
    },
    hooks: {
      onSucceeded: (_, { federationId, progress, updatedAt }) => {
        const later = new Date(updatedAt.getTime() + FOLLOW_UP_DELAY);
        return Promise.resolve(progress.again ? { jobs: [createFollowUpSyncJob(federationId!, later)] } : {});
      },
      // Queues a subscription check, because the sync also fails if the customer was deleted at the provider.
      onFailed: async (tx, job, report) => ({
        ...await recordBillingFailure(tx, log, job, report),
        jobs: [createBillingCheckJob(job.federationId!)],
      }),
    },
  });
}

/**
 * Sends the customer's name and email address to the payment provider. If the address changes before the job ends,
 * another job sends the new address.
 */
async function sendCustomer(run: SyncRun, payments: PaymentProvider, { row, name }: BilledHub): Promise<void> {
  const { federationId, customerId: storedId, email } = row;
  const desired = { federationId, name, email };
  run.throwIfStopped();
  if (storedId === null || !await tryUpdateCustomer(run, payments, row, desired)) {
    const customer = await payments.customerFor(desired, run.signal);
    await run.write(async (tx) => {
      const now = await lockSubscription(tx, federationId);
      if (now?.customerId === storedId) await updateSubscription(tx, federationId, { customerId: customer });
    });
  }
  await run.saveProgress({ email });
}

/**
 * Updates the customer at the payment provider. Returns false if the customer was deleted there. Throws if the deleted
 * customer has a subscription: an operator must then decide what to do.
 */
async function tryUpdateCustomer(
  run: JobRun,
  payments: PaymentProvider,
  { customerId, subscriptionId }: SubscriptionRow,
  desired: CustomerRequest,
): Promise<boolean> {
  try {
    await payments.updateCustomer(customerId!, desired, run.signal);
    return true;
  } catch (error) {
    const gone = error instanceof PaymentError && error.code === "customer_gone";
    if (gone && subscriptionId === null) return false;
    throw error;
  }
}

async function sendQuantities(
  app: SyncDependencies,
  run: SyncRun,
  payments: PaymentProvider,
  hub: BilledHub,
): Promise<void> {
  const { row, counts, removed } = hub, { federationId, customerId: customer } = row;
  if (customer === null && !removed) return; // no customer exists, so nothing can be sent
  if (row.sentQuantities === null && row.subscriptionId !== null) await run.saveProgress({ again: true });
  const subscription = customer === null
    ? null
    : await findCurrentSubscription(run, payments, { ...row, customerId: customer });
  const ended = subscription ? hasSubscriptionEnded(subscription) : row.subscriptionId !== null;
  const desired = selectBilledQuantities(counts, app.catalog, subscription?.items ?? []);
  let result = subscription;
  if (removed && subscription && !ended) {
    await markQuantitiesUnknown(run, row);
    run.throwIfStopped();
    result = await payments.endSubscription(subscription.id, run.signal);
  } else if (customer !== null && !ended) {
    const changes = planItemChanges(subscription?.items ?? [], desired);
    const current = { federationId, customer, subscription };
    if (changes.length > 0) {
      await markQuantitiesUnknown(run, row);
      result = await applyItemChanges(payments, app.catalog, run, current, changes);
    }
  }
  await saveQuantities(app, run, hub, desired, result);
}

/** Returns the hub's subscription at the payment provider, even if the database has no record of it. */
async function findCurrentSubscription(
  run: JobRun,
  payments: PaymentProvider,
  { subscriptionId, customerId: customer, federationId }: SubscriptionRow & { customerId: string },
): Promise<Subscription | null> {
  if (subscriptionId !== null) return await payments.readSubscription(subscriptionId, run.signal);
  return await payments.findSubscription({ customer, federationId }, run.signal);
}

/** Sets the stored quantities to null (unknown) until the payment provider's reply has been stored. */
async function markQuantitiesUnknown(run: JobRun, { sentQuantities, federationId }: SubscriptionRow): Promise<void> {
  if (sentQuantities === null) return;
  await run.write((tx) => updateSubscription(tx, federationId, { sentQuantities: null }));
}

/** Stores the quantities and the provider's reply, unless the hub now has another subscription or customer. */
async function saveQuantities(
  { catalog, log }: SyncDependencies,
  run: SyncRun,
  { row: before, removed }: BilledHub,
  desired: BilledQuantities,
  result: Subscription | null,
): Promise<void> {
  const federationId = before.federationId;
  const entries = await run.write(async (tx) => {
    const now = await lockSubscription(tx, federationId);
    if (!now || now.subscriptionId !== before.subscriptionId || now.customerId !== before.customerId) return [];
    const addressChanged = !removed && now.email !== run.job.progress.email;
    const sentQuantities = addressChanged ? null : JSON.stringify(desired);
    const row = await updateSubscription(tx, federationId, { sentQuantities, error: null, retryAt: null });
    const billed = await readBilledQuantities(tx, catalog, { ...row, items: result?.items ?? [] });
    const audit = await saveSubscription(tx, row, result, billed);
    await recordChange(tx, SYSTEM_REQUESTER, { audit });
    return audit;
  });
  logBillingDifferences(log, entries);
}
