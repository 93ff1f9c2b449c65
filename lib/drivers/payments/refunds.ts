/** Reads all refunds for a charge. The caller passes either the charge's ID or the ID of one of its refunds. */
import type { Stripe } from "stripe";
import { listAllPages, type PaymentCalls } from "#lib/drivers/payments/client.ts";
import type { ChargeRefunds, RefundedObject } from "#lib/drivers/payments/payments.ts";
import { ChargeSchema, parseResponse, RefundSchema } from "#lib/drivers/payments/schemas.ts";

export async function readRefunds(client: PaymentCalls, object: RefundedObject): Promise<ChargeRefunds> {
  if ("charge" in object) return await readRefundsOfCharge(client, object.charge);
  const answer = await client.call((stripe) => stripe.refunds.retrieve(object.refund));
  const refund = parseResponse(RefundSchema, answer, "refund");
  if (refund.charge === null) return { customer: null, refunds: [refund] }; // without a charge, the customer is unknown
  return await readRefundsOfCharge(client, refund.charge);
}

async function readRefundsOfCharge(client: PaymentCalls, id: string): Promise<ChargeRefunds> {
  const charge = parseResponse(
    ChargeSchema,
    await client.call((stripe) => stripe.charges.retrieve(id)),
    "charge",
  );
  const list = (stripe: Stripe) => stripe.refunds.list({ charge: id, limit: 100 });
  return { customer: charge.customer, refunds: await listAllPages(client, RefundSchema, list) };
}
