/** Reads all refunds of a charge, by the charge or by one of its refunds. */
import type { Stripe } from "stripe";
import { listAll, type PaymentClient } from "#lib/drivers/payments/client.ts";
import type { RefundedObject, Refunds } from "#lib/drivers/payments/payments.ts";
import { ChargeShape, parseAnswer, RefundShape } from "#lib/drivers/payments/schemas.ts";

export async function readRefunds(client: PaymentClient, of: RefundedObject, signal: AbortSignal): Promise<Refunds> {
  if ("charge" in of) return await readRefundsOfCharge(client, of.charge, signal);
  const answer = await client.call(signal, (stripe) => stripe.refunds.retrieve(of.refund));
  const refund = parseAnswer(RefundShape, answer, "refund");
  if (refund.charge === null) return { customer: null, refunds: [refund] }; // its customer is unknown
  return await readRefundsOfCharge(client, refund.charge, signal);
}

async function readRefundsOfCharge(client: PaymentClient, id: string, signal: AbortSignal): Promise<Refunds> {
  const charge = parseAnswer(ChargeShape, await client.call(signal, (stripe) => stripe.charges.retrieve(id)), "charge");
  const list = (stripe: Stripe) => stripe.refunds.list({ charge: id, limit: 100 });
  return { customer: charge.customer, refunds: await listAll(client, RefundShape, signal, list) };
}
