/**
 * Receives events from the payment provider: verifies, stores and queues each event once. Only the IDs in an event are
 * used. The job reads the current objects from the provider, because an event's content is not trusted.
 */
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { createBillingEventJob, getBillingEventSubject, insertBillingEvent } from "#lib/domains/billing/events.ts";
import { findSubscriptionByCustomer } from "#lib/domains/billing/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { type PaymentProvider, type ProviderEvent, SignatureError } from "#lib/drivers/payments/payments.ts";
import { SECOND } from "#lib/base/time.ts";

/** The allowed format of the payment provider's IDs. IDs become part of URL paths, so other IDs are refused. */
const ID = /^[A-Za-z0-9_]{1,255}$/;
const TYPE = /^[a-z0-9_.]{1,255}$/;

/** Verifies and stores an event. Throws a fault: `missing` (`billing_off`) or `invalid` (`bad_signature`). */
export async function storeBillingEvent(
  { db, payments }: Pick<App, "db" | "payments">,
  body: Uint8Array,
  signature: string | null,
): Promise<void> {
  if (!payments) throw new Fault("missing", "billing_off", "No payment provider is connected to this service");
  const event = await readSignedEvent(payments, body, signature, () => db.now());
  await db.transact((tx) => storeEvent(tx, event));
}

async function storeEvent(tx: Tx, event: ProviderEvent): Promise<void> {
  const subject = getBillingEventSubject(event.type), { id, customer } = event.object;
  // Ignores unknown customers. They belong to another system: we store a row before we create a subscription.
  const row = customer === null ? undefined : await findSubscriptionByCustomer(tx, customer);
  const federationId = row?.federationId ?? null;
  const isRelevant = subject === "subscription" ? federationId !== null : subject === "refund" && id !== null;
  const isNew = await insertBillingEvent(tx, event, { federationId, handled: !isRelevant });
  if (isNew && isRelevant) {
    await recordChange(tx, SYSTEM_REQUESTER, { jobs: [createBillingEventJob(event.id, federationId)] });
  }
}

/**
 * Verifies the signature and returns the event without invalid IDs. Checks the signature first with the signature's own
 * timestamp, so that a forged event causes no database query, and then with the database's clock.
 */
async function readSignedEvent(
  payments: PaymentProvider,
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
  if (seconds === "") throw new SignatureError("The Stripe-Signature header is missing or has no timestamp");
  return new Date(Number(seconds) * SECOND);
}

function sanitizeEvent(event: ProviderEvent): ProviderEvent {
  if (!ID.test(event.id) || !TYPE.test(event.type)) {
    throw new SignatureError("The request body is signed but does not contain a valid event");
  }
  const idOrNull = (text: string | null) => text !== null && ID.test(text) ? text : null;
  const { object } = event;
  return { ...event, object: { ...object, id: idOrNull(object.id), customer: idOrNull(object.customer) } };
}
