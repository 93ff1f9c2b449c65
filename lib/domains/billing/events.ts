/**
 * Stores the payment provider's events, each event only once. The same transaction enqueues a job for an event about a
 * hub. All other events are stored only for inspection and are marked as handled.
 */
import { type Selectable, sql } from "kysely";
import * as v from "valibot";
import { BILLING_JOB_TIME_LIMIT, getBillingLane } from "#lib/domains/billing/jobs.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import type { ProviderEvent, RefundedObject } from "#lib/drivers/payments/payments.ts";
import { MINUTE } from "#lib/base/time.ts";

export type BillingEventRow = Selectable<Schema["billing_events"]>;

export const BILLING_EVENT_JOB = declareJobKind({
  kind: "billing-event",
  steps: { handle: ["Processing an event from the payment provider", 5 * MINUTE] },
  timeLimit: BILLING_JOB_TIME_LIMIT,
  /** The event's ID. */
  payload: v.object({ event: v.string() }),
});

/** The subject of a payment event: a hub's subscription, or a refund. */
type EventSubject = "subscription" | "refund";

/** Returns the subject of events of this type, or null if such events are ignored. */
export function getBillingEventSubject(type: string): EventSubject | null {
  if (/^(?:customer\.subscription|invoice)\./.test(type)) return "subscription";
  return type === "charge.refunded" || /^(?:charge\.)?refund\./.test(type) ? "refund" : null;
}

/** Returns the charge or refund ID with which to request refunds from the provider. Null if the event has no ID. */
export function getRefundedObjectId(
  { type, objectId }: Pick<BillingEventRow, "type" | "objectId">,
): RefundedObject | null {
  if (objectId === null) return null;
  return type === "charge.refunded" ? { charge: objectId } : { refund: objectId };
}

/** Creates the job that handles an event, in the hub's billing lane (queue) or, if no hub is known, in any of them. */
export function createBillingEventJob(eventId: string, federationId: string | null): NewJob {
  const lane = getBillingLane(federationId ?? eventId);
  return createJob(BILLING_EVENT_JOB, { event: eventId }, { lane, federationId });
}

/** Stores an event. If the event is already stored, returns false and does not change the stored row. */
export async function insertBillingEvent(
  tx: Tx,
  { id, type, createdAt, object }: ProviderEvent,
  about: { readonly federationId: string | null; readonly handled: boolean },
): Promise<boolean> {
  const row = await tx.insertInto("billing_events").values({
    id,
    type,
    objectId: object.id,
    customerId: object.customer,
    federationId: about.federationId,
    createdAt,
    handledAt: about.handled ? sql<Date>`wheelwright_now()` : null,
  }).onConflict((conflict) => conflict.column("id").doNothing()).returning("id").executeTakeFirst();
  return row !== undefined;
}

export async function findBillingEvent(rows: RowQueries, id: string): Promise<BillingEventRow | undefined> {
  return await rows.selectFrom("billing_events").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Finds a hub's events whose jobs are still queued. Checking the subscription now makes these jobs unnecessary. */
export async function findQueuedBillingEvents(rows: RowQueries, federationId: string): Promise<string[]> {
  const { rows: found } = await sql<{ event: string }>`
    select payload ->> 'event' as event from jobs
    where state = 'queued' and lane = ${getBillingLane(federationId)} and kind = ${BILLING_EVENT_JOB.kind}
      and federation_id = ${federationId}`.execute(rows);
  return found.map(({ event }) => event);
}

/** Marks events as handled. Ignores events with another subject. */
export async function markBillingEventsHandled(tx: Tx, ids: readonly string[], subject: EventSubject): Promise<void> {
  const rows = await tx.selectFrom("billing_events").select(["id", "type"]).where("id", "in", ids)
    .where("handledAt", "is", null).execute();
  const done = rows.filter(({ type }) => getBillingEventSubject(type) === subject).map(({ id }) => id);
  if (done.length === 0) return;
  await tx.updateTable("billing_events").set({ handledAt: sql<Date>`wheelwright_now()` }).where("id", "in", done)
    .execute();
}
