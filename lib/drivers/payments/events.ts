/**
 * Verifies webhook events: the payment provider must have signed exactly these bytes within the last five minutes.
 * Invalid UTF-8 is rejected first, because the provider's package would replace it before verifying the signature. All
 * errors have the same message, so that attackers learn nothing.
 */
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { type ProviderEvent, SignatureError } from "#lib/drivers/payments/payments.ts";
import { toProviderEvent } from "#lib/drivers/payments/schemas.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

const TOLERANCE = 5 * MINUTE;

interface SignedBody {
  readonly body: Uint8Array;
  readonly signature: string | null;
  readonly secret: string;
  readonly now: Date;
}

export async function verifyWebhookEvent(
  client: Pick<PaymentClient, "load">,
  signed: SignedBody,
): Promise<ProviderEvent> {
  const { webhooks } = await client.load();
  const { body, signature, secret, now } = signed;
  let event: ProviderEvent | null = null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    event = toProviderEvent(
      await webhooks.constructEventAsync(text, signature ?? "", secret, TOLERANCE / SECOND, undefined, now.getTime()),
    );
  } catch {
    // Ignores the error, because it contains the request body. Every failure gets the message below.
  }
  if (event === null) throw new SignatureError("The Stripe-Signature header does not match the body");
  return event;
}
