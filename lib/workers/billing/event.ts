/**
 * Processes an event that the payment provider sent: reads the subscription or refund that the event is about, and
 * stores the result. Processing the same event twice is harmless.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import {
  BILLING_EVENT_JOB,
  type BillingEventRow,
  findBillingEvent,
  findQueuedBillingEvents,
  getBillingEventSubject,
  getRefundedObjectId,
  markBillingEventsHandled,
} from "#lib/domains/billing/events.ts";
import { findSubscriptionByCustomer, recordRefunds } from "#lib/domains/billing/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { PaymentProvider } from "#lib/drivers/payments/payments.ts";
import { createHandler, type JobHandler, type JobRun } from "#lib/scheduler/handler.ts";
import { checkSubscription } from "#lib/workers/billing/check.ts";

type EventDependencies = Pick<App, "db" | "log" | "catalog">;

export function billingEventHandler(app: EventDependencies, payments: PaymentProvider): JobHandler {
  return createHandler({
    kind: BILLING_EVENT_JOB,
    steps: {
      async handle(run) {
        const event = await findBillingEvent(app.db.rows, run.job.payload.event);
        if (!event || event.handledAt !== null) return;
        if (getBillingEventSubject(event.type) === "refund") await handleRefund(run, payments, event);
        else await handleSubscription(app, run, payments, event);
      },
    },
    hooks: {
      // Logs the error, because no user waits for a billing job.
      onFailed(_, job, report) {
        const about = { operation: job.id, event: job.payload.event, federation: job.federationId };
        app.log.error("Cannot process an event from the payment provider; giving up", {
          ...about,
          reason: report.message,
        });
        return Promise.resolve({});
      },
    },
  });
}

/** Reads the hub's subscription, and marks all its waiting events as handled. After a crash, the job can run again. */
async function handleSubscription(
  app: EventDependencies,
  run: JobRun,
  payments: PaymentProvider,
  event: BillingEventRow,
): Promise<void> {
  const hub = event.federationId!;
  // Lists the events before the subscription is read, because the subscription may not include later events yet.
  const eventIds = [event.id, ...await findQueuedBillingEvents(app.db.rows, hub)];
  await checkSubscription(app, run, payments, hub);
  await run.write((tx) => markBillingEventsHandled(tx, eventIds, "subscription"));
}

async function handleRefund(run: JobRun, payments: PaymentProvider, event: BillingEventRow): Promise<void> {
  const lookup = getRefundedObjectId(event);
  const refund = lookup && await payments.readRefunds(lookup, run.signal);
  await run.write(async (tx) => {
    await markBillingEventsHandled(tx, [event.id], "refund");
    const row = refund?.customer ? await findSubscriptionByCustomer(tx, refund.customer) : undefined;
    if (refund && row) {
      await recordChange(tx, SYSTEM_REQUESTER, { audit: await recordRefunds(tx, row.federationId, refund.refunds) });
    }
  });
}
