/** Whether the payment provider answers and takes our key: a wrong one shows here, and not with the first invoice. */
import type { Config } from "#lib/base/config.ts";
import { type Finding, ok, warning } from "#lib/doctor/finding.ts";
import type { Look } from "#lib/doctor/look.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import { openPayments } from "#lib/drivers/payments/open.ts";

/** Nothing where none is configured: nobody has to be billed. Nothing is made or changed at the provider. */
export async function lookAtPayments(stripe: Config["stripe"], look: Look): Promise<Finding[]> {
  if (stripe === null) return [];
  const seen = await look((signal) => ask(stripe, signal));
  if (!("seen" in seen)) return [warning("payments", `The payment provider could not be asked: ${seen.unseen}`)];
  if (seen.seen) return [warning("payments", seen.seen.message, seen.seen.hint)];
  const kind = /_live_/.test(stripe.secretKey) ? "live" : "test";
  return [ok("payments", `The payment provider answers, and accepts STRIPE_SECRET_KEY, a ${kind} key`)];
}

async function ask(stripe: NonNullable<Config["stripe"]>, signal: AbortSignal): Promise<PaymentError | null> {
  try {
    await openPayments(stripe).check(signal);
    return null;
  } catch (error) {
    if (error instanceof PaymentError) return error;
    throw error;
  }
}
