/**
 * Takes an event from the payment provider: proved, kept once, and left to a job. Its sender waits for seconds and
 * sends again otherwise, so nothing here asks the provider: whatever state it is in, an event is taken.
 *
 * What is in an event is not believed. It names a customer and an object; the job looks at both as they are by then. So
 * events may come twice, late, in any order or not at all.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM } from "#lib/audit/asker.ts";
import { eventJob, insertEvent, subjectOf } from "#lib/domains/billing/events.ts";
import { findByCustomer } from "#lib/domains/billing/store.ts";
import { record } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type Payments, type ProviderEvent, SignatureError } from "#lib/drivers/payments/payments.ts";
import { SECOND } from "#lib/base/time.ts";

/** As they are in every id of the provider's; an id becomes part of a path there. */
const ID = /^[A-Za-z0-9_]{1,255}$/;
const TYPE = /^[a-z0-9_.]{1,255}$/;

/** Throws Fault missing `billing_off` and invalid `bad_signature`. Returns when the event is kept, now or before. */
export async function receiveEvent(
  { db, payments }: Pick<App, "db" | "payments">,
  body: Uint8Array,
  signature: string | null,
): Promise<void> {
  if (!payments) throw new Fault("missing", "billing_off", "No payment provider is connected to this service");
  const event = await readSignedEvent(payments, body, signature, () => db.now());
  await db.transact((tx) => storeEvent(tx, event));
}

async function storeEvent(tx: Tx, event: ProviderEvent): Promise<void> {
  const subject = subjectOf(event.type), { id, customer } = event.object;
  // A customer is written down before anything is made for it: an event of a customer that no row has is not ours.
  const row = customer === null ? undefined : await findByCustomer(tx, customer);
  const federationId = row?.federationId ?? null;
  const isRelevant = subject === "subscription" ? federationId !== null : subject === "refund" && id !== null;
  const isNew = await insertEvent(tx, event, { federationId, handled: !isRelevant });
  if (isNew && isRelevant) await record(tx, SYSTEM, { jobs: [eventJob(event.id, federationId)] });
}

/**
 * The event, of which only what can be an id is left. It is judged twice: as of the time that the signature names
 * itself, and only what fits then by the service's clock. So a flood of forged ones never reaches the database, not
 * even for its clock.
 */
async function readSignedEvent(
  payments: Payments,
  body: Uint8Array,
  signature: string | null,
  clock: () => Promise<Date>,
): Promise<ProviderEvent> {
  try {
    await payments.readEvent(body, signature, signatureTime(signature));
    return sanitizeEvent(await payments.readEvent(body, signature, await clock()));
  } catch (error) {
    if (error instanceof SignatureError) throw new Fault("invalid", "bad_signature", error.message);
    throw error;
  }
}

function signatureTime(signature: string | null): Date {
  const [, seconds = ""] = /(?:^|,)\s*t=(\d{1,11})(?:,|$)/.exec(signature ?? "") ?? [];
  if (seconds === "") throw new SignatureError("The Stripe-Signature header is missing, or names no time");
  return new Date(Number(seconds) * SECOND);
}

function sanitizeEvent(event: ProviderEvent): ProviderEvent {
  if (!ID.test(event.id) || !TYPE.test(event.type)) throw new SignatureError("The body is signed but is not an event");
  const idOrNull = (text: string | null) => text !== null && ID.test(text) ? text : null;
  const { object } = event;
  return { ...event, object: { ...object, id: idOrNull(object.id), customer: idOrNull(object.customer) } };
}
