/**
 * The provider's events as rows: each once by its id, however often it comes. A row says no more than where to look.
 *
 * One that has to do with a hub has a job beside it from the same transaction on, and is handled when that says so. All
 * others are kept to be seen, and count as handled when they come.
 */
import { type Selectable, sql } from "kysely";
import { billingLane, NO_TIME_LIMIT } from "#lib/domains/billing/jobs.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { ProviderEvent, RefundedObject } from "#lib/drivers/payments/payments.ts";
import { MINUTE } from "#lib/base/time.ts";

export type EventRow = Selectable<Schema["billing_events"]>;

export const BILLING_EVENT: JobKind = {
  kind: "billing-event",
  plan: 1,
  visible: false,
  steps: [{ name: "handle", label: "Processing an event of the payment provider", timeout: 5 * MINUTE }],
  timeLimit: NO_TIME_LIMIT,
};

/** What of the provider's has changed: the state of a hub's subscription, or money that went back. */
type EventSubject = "subscription" | "refund";

/** Null for what is no concern of ours. */
export function subjectOf(type: string): EventSubject | null {
  if (/^(?:customer\.subscription|invoice)\./.test(type)) return "subscription";
  return type === "charge.refunded" || /^(?:charge\.)?refund\./.test(type) ? "refund" : null;
}

/** What the refunds of such an event are asked by. */
export function refundLookup({ type, objectId }: Pick<EventRow, "type" | "objectId">): RefundedObject | null {
  if (objectId === null) return null;
  return type === "charge.refunded" ? { charge: objectId } : { refund: objectId };
}

/** The hub's in its lane. Whose a refund is may only be known when it was fetched: then any of the lanes will do. */
export function eventJob(eventId: string, federationId: string | null): NewJob {
  const lane = billingLane(federationId ?? eventId);
  return { kind: BILLING_EVENT, lane, federationId, spokeId: null, payload: { event: eventId } };
}

/** False for one that is there already. What was written for that one stands. */
export async function insertEvent(
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

export async function findEvent(rows: Rows, id: string): Promise<EventRow | undefined> {
  return await rows.selectFrom("billing_events").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Events whose jobs wait in the hub's lane: whatever they tell of, a look that begins now sees it. */
export async function findQueuedEvents(rows: Rows, federationId: string): Promise<string[]> {
  const { rows: found } = await sql<{ event: string }>`
    select payload ->> 'event' as event from jobs
    where state = 'queued' and lane = ${billingLane(federationId)} and kind = ${BILLING_EVENT.kind}
      and federation_id = ${federationId}`.execute(rows);
  return found.map(({ event }) => event);
}

/** Those of the events that tell of this subject, and are not handled yet. */
export async function markHandled(tx: Tx, ids: readonly string[], subject: EventSubject): Promise<void> {
  const rows = await tx.selectFrom("billing_events").select(["id", "type"]).where("id", "in", ids)
    .where("handledAt", "is", null).execute();
  const done = rows.filter(({ type }) => subjectOf(type) === subject).map(({ id }) => id);
  if (done.length === 0) return;
  await tx.updateTable("billing_events").set({ handledAt: sql<Date>`wheelwright_now()` }).where("id", "in", done)
    .execute();
}
