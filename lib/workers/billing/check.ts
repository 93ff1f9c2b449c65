/** Reads a hub's subscription from the payment provider, and sends the hub's name and email address to the provider. */
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { readBilledHub } from "#lib/domains/billing/hubs.ts";
import { CHECK_BILLING_JOB } from "#lib/domains/billing/jobs.ts";
import { logBillingDifferences, saveSubscription } from "#lib/domains/billing/save-subscription.ts";
import { lockSubscription, readBilledQuantities, updateSubscription } from "#lib/domains/billing/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { PaymentProvider } from "#lib/drivers/payments/payments.ts";
import { createHandler, type JobHandler, type JobRun, type Outcome } from "#lib/scheduler/handler.ts";
import { sql } from "kysely";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import type { Log } from "#lib/base/log.ts";

type BillingDependencies = Pick<App, "db" | "catalog" | "log">;

export function checkBilling(app: BillingDependencies, payments: PaymentProvider): JobHandler {
  const { db, log } = app;
  return createHandler({
    kind: CHECK_BILLING_JOB,
    steps: {
      check: (run) => checkSubscription(app, run, payments, run.job.federationId!),
      async customer(run) {
        const hub = await readBilledHub(db.rows, run.job.federationId!);
        if (!hub || hub.removed || hub.row.customerId === null) return;
        const { federationId, customerId: customer, email } = hub.row;
        run.throwIfStopped();
        await payments.updateCustomer(customer, { federationId, name: hub.name, email }, run.signal);
      },
    },
    hooks: { onFailed: (tx, job, report) => recordBillingFailure(tx, log, job, report) },
  });
}

/** Reads the hub's subscription from the payment provider, and stores it if the hub still has this subscription. */
export async function checkSubscription(
  { db, catalog, log }: BillingDependencies,
  run: JobRun,
  payments: PaymentProvider,
  federationId: string,
): Promise<void> {
  const id = (await readBilledHub(db.rows, federationId))?.row.subscriptionId ?? null;
  if (id === null) return;
  const subscription = await payments.readSubscription(id, run.signal);
  const entries = await run.write(async (tx) => {
    const row = await lockSubscription(tx, federationId);
    if (row?.subscriptionId !== id) return [];
    const billed = await readBilledQuantities(tx, catalog, row);
    const audit = await saveSubscription(tx, row, subscription, billed);
    await recordChange(tx, SYSTEM_REQUESTER, { audit });
    return audit;
  });
  logBillingDifferences(log, entries);
}

/**
 * Stores the error of a failed billing job for the hub, and delays the next attempt by an hour. Also logs the error,
 * because no user waits for a billing job.
 */
export async function recordBillingFailure(
  tx: Tx,
  log: Log,
  job: Job,
  { message, hint }: FailureReport,
): Promise<Outcome> {
  const federationId = job.federationId!, error = hint === null ? message : `${message}. ${hint}`;
  if (await lockSubscription(tx, federationId)) {
    await updateSubscription(tx, federationId, { error, retryAt: sql<Date>`wheelwright_now() + interval '1 hour'` });
  }
  log.error("The payment provider refused a billing request for a hub", {
    operation: job.id,
    federation: federationId,
    kind: job.kind,
    reason: error,
  });
  return {};
}
