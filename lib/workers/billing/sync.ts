/**
 * Has the payment provider count what there is: the hub's customer, and of each size as many as are to be billed when it
 * runs, whatever was there when it was queued.
 *
 * Quantities are absolute, and what is there is read right before: so it does no harm to run it again, also after a crash
 * between the provider's answer and our writing. That something is asked is written before it is asked (`told` is null):
 * whatever is lost from then on, the next plan has it told anew.
 *
 * Who asked before and never wrote what came of it may have been cut off, with the call still on its way: it would set what
 * was right then. No provider refuses a late caller, so one more sync follows, when no call can be on its way any more.
 *
 * A subscription that has ended while there is something to be billed was ended by people, or for want of payment; no job
 * undoes that. It becomes a difference, which people can reconcile.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM } from "#lib/audit/requester.ts";
import { type Quantities, selectBilled } from "#lib/domains/billing/billed.ts";
import { type BilledHub, readBilledHub } from "#lib/domains/billing/hubs.ts";
import { checkBillingJob, followUpSyncJob, SYNC_BILLING } from "#lib/domains/billing/jobs.ts";
import { saveSubscription, warnAboutDifference } from "#lib/domains/billing/save-subscription.ts";
import {
  lockSubscription,
  readBilledQuantities,
  type SubscriptionRow,
  updateSubscription,
} from "#lib/domains/billing/store.ts";
import { record } from "#lib/changes/record.ts";
import {
  type CustomerRequest,
  hasEnded,
  PaymentError,
  type Payments,
  type Subscription,
} from "#lib/drivers/payments/payments.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { applyChanges, planItems } from "#lib/workers/billing/quantities.ts";
import { noteRefusal } from "#lib/workers/billing/look.ts";

/** A call that was cut off is over at the provider by then. */
const LATE = MINUTE;

type Needed = Pick<App, "db" | "catalog" | "log">;

export function syncBilling(app: Needed, payments: Payments): Handler {
  const { db, log } = app;
  return {
    kind: SYNC_BILLING,
    steps: {
      async customer(run) {
        const hub = await readBilledHub(db.rows, run.job.federationId!);
        // With a hub its payer may be gone, too; and a hub that never had a customer needs none any more.
        if (hub && !hub.removed) await tellCustomer(run, payments, hub);
      },
      async quantities(run) {
        const hub = await readBilledHub(db.rows, run.job.federationId!);
        if (hub) await tellQuantities(app, run, payments, hub);
      },
    },
    hooks: {
      onSucceeded: (_, { federationId, progress, updatedAt }) => {
        const later = new Date(updatedAt.getTime() + LATE);
        return Promise.resolve(progress.again ? { jobs: [followUpSyncJob(federationId!, later)] } : {});
      },
      // Why it was refused may stand in the subscription: one whose customer was deleted has ended.
      onFailed: async (tx, job, report) => ({
        ...await noteRefusal(tx, log, job, report),
        jobs: [checkBillingJob(job.federationId!)],
      }),
    },
  };
}

/** The address that was told is remembered: should it have changed by the end, it is told again. */
async function tellCustomer(run: Run, payments: Payments, { row, name }: BilledHub): Promise<void> {
  const { federationId, customerId: known, email } = row;
  const wanted = { federationId, name, email };
  run.throwIfStopped();
  if (known === null || !await describe(run, payments, row, wanted)) {
    const customer = await payments.customerFor(wanted, run.signal);
    await run.write(async (tx) => {
      const now = await lockSubscription(tx, federationId);
      if (now?.customerId === known) await updateSubscription(tx, federationId, { customerId: customer });
    });
  }
  await run.saveProgress({ email });
}

/** Whether there is such a customer. One who was deleted while there was a subscription is for people to look at. */
async function describe(
  run: Run,
  payments: Payments,
  { customerId, subscriptionId }: SubscriptionRow,
  wanted: CustomerRequest,
): Promise<boolean> {
  try {
    await payments.updateCustomer(customerId!, wanted, run.signal);
    return true;
  } catch (error) {
    const gone = error instanceof PaymentError && error.code === "customer_gone";
    if (gone && subscriptionId === null) return false;
    throw error;
  }
}

async function tellQuantities(app: Needed, run: Run, payments: Payments, hub: BilledHub): Promise<void> {
  const { row, counts, removed } = hub, { federationId, customerId: customer } = row;
  if (customer === null && !removed) return; // the step before sees to it; without one, nothing can be told
  if (row.told === null && row.subscriptionId !== null) await run.saveProgress({ again: true });
  const found = customer === null ? null : await find(run, payments, { ...row, customerId: customer });
  const ended = found ? hasEnded(found) : row.subscriptionId !== null;
  const wanted = selectBilled(counts, app.catalog, found?.items ?? []);
  let shown = found;
  if (removed && found && !ended) {
    await noteAsking(run, row);
    run.throwIfStopped();
    shown = await payments.endSubscription(found.id, run.signal);
  } else if (customer !== null && !ended) {
    const changes = planItems(found?.items ?? [], wanted);
    const standing = { federationId, customer, subscription: found };
    if (changes.length > 0) {
      await noteAsking(run, row);
      shown = await applyChanges(payments, app.catalog, run, standing, changes);
    }
  }
  await noteTold(app, run, hub, wanted, shown);
}

/** As the provider has it now. One whose making was asked for, and whose answer was lost, is found as well. */
async function find(
  run: Run,
  payments: Payments,
  { subscriptionId, customerId: customer, federationId }: SubscriptionRow & { customerId: string },
): Promise<Subscription | null> {
  if (subscriptionId !== null) return await payments.readSubscription(subscriptionId, run.signal);
  return await payments.findSubscription({ customer, federationId }, run.signal);
}

/** From now on it is not known what the provider counts, until its answer is written. */
async function noteAsking(run: Run, { told, federationId }: SubscriptionRow): Promise<void> {
  if (told === null) return;
  await run.write((tx) => updateSubscription(tx, federationId, { told: null }));
}

/** What was told, and what the provider showed then. Not of a row that was given another subscription meanwhile, or none. */
async function noteTold(
  { catalog, log }: Needed,
  run: Run,
  { row: before, removed }: BilledHub,
  wanted: Quantities,
  shown: Subscription | null,
): Promise<void> {
  const federationId = before.federationId;
  const entries = await run.write(async (tx) => {
    const now = await lockSubscription(tx, federationId);
    if (!now || now.subscriptionId !== before.subscriptionId || now.customerId !== before.customerId) return [];
    const readdressed = !removed && now.email !== run.job.progress.email;
    const told = readdressed ? null : JSON.stringify(wanted);
    const row = await updateSubscription(tx, federationId, { told, error: null, retryAt: null });
    const billed = await readBilledQuantities(tx, catalog, { ...row, items: shown?.items ?? [] });
    const audit = await saveSubscription(tx, row, shown, billed);
    await record(tx, SYSTEM, { audit });
    return audit;
  });
  warnAboutDifference(log, entries);
}
