/** Refunds at the provider: all of a charge, asked for by the charge or by one of them. */
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { readPages } from "#lib/drivers/payments/pages.ts";
import type { RefundedObject, Refunds } from "#lib/drivers/payments/payments.ts";
import { ChargeShape, fit, refundOf, RefundShape } from "#lib/drivers/payments/read.ts";
import { isGone } from "#lib/drivers/payments/trouble.ts";

export async function readRefunds(
  client: PaymentClient,
  of: RefundedObject,
  signal: AbortSignal,
): Promise<Refunds | null> {
  try {
    if ("charge" in of) return await ofCharge(client, of.charge, signal);
    const answer = await client.ask(signal, (stripe) => stripe.refunds.retrieve(of.refund));
    const refund = refundOf(fit(RefundShape, answer, "refund"));
    if (refund.charge === null) return { customer: null, refunds: [refund] }; // nobody's that we know
    return await ofCharge(client, refund.charge, signal);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

async function ofCharge(client: PaymentClient, id: string, signal: AbortSignal): Promise<Refunds> {
  const charge = fit(ChargeShape, await client.ask(signal, (stripe) => stripe.charges.retrieve(id)), "charge");
  const all = await readPages(client, {
    shape: RefundShape,
    what: "list of refunds",
    ask: (stripe, page) => stripe.refunds.list({ charge: id, ...page }),
  }, signal);
  return { customer: charge.customer, refunds: all.map(refundOf) };
}
