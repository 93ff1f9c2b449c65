/** Reads all refunds for a charge. The caller passes either the charge's ID or the ID of one of its refunds. */
import type { Stripe } from "stripe";
import { listAllPages, type PaymentClient } from "#lib/drivers/payments/client.ts";
import type { ChargeRefunds, RefundedObject } from "#lib/drivers/payments/payments.ts";
import { ChargeSchema, parseResponse, RefundSchema } from "#lib/drivers/payments/schemas.ts";

export async function readRefunds(
  client: PaymentClient,
  object: RefundedObject,
  signal: AbortSignal,
): Promise<ChargeRefunds> {
  if ("charge" in object) return await readRefundsOfCharge(client, object.charge, signal);
  const answer = await client.call(signal, (stripe) => stripe.refunds.retrieve(object.refund));
  const refund = parseResponse(RefundSchema, answer, "refund");
  if (refund.charge === null) return { customer: null, refunds: [refund] }; // without a charge, the customer is unknown
  return await readRefundsOfCharge(client, refund.charge, signal);
}

async function readRefundsOfCharge(client: PaymentClient, id: string, signal: AbortSignal): Promise<ChargeRefunds> {
  const charge = parseResponse(
    ChargeSchema,
    await client.call(signal, (stripe) => stripe.charges.retrieve(id)),
    "charge",
  );
  const list = (stripe: Stripe) => stripe.refunds.list({ charge: id, limit: 100 });
  return { customer: charge.customer, refunds: await listAllPages(client, RefundSchema, signal, list) };
}
