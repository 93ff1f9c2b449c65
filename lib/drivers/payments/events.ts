/**
 * The events of the provider's webhook: believed only when it has signed them, lately, byte by byte.
 *
 * The package decodes the body leniently before it judges it; here what is no UTF-8 is refused first, so that what was
 * signed is what is read. Whatever is wrong is told in one sentence: a forger learns nothing from it.
 */
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { SignatureError } from "#lib/drivers/payments/error.ts";
import type { ProviderEvent } from "#lib/drivers/payments/payments.ts";
import { eventOf } from "#lib/drivers/payments/read.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

const TOLERANCE = 5 * MINUTE;

interface SignedBody {
  readonly body: Uint8Array;
  readonly signature: string | null;
  readonly secret: string;
  readonly now: Date;
}

export async function readEvent(client: Pick<PaymentClient, "load">, signed: SignedBody): Promise<ProviderEvent> {
  const { webhooks } = await client.load();
  const event = await judged(async () => {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(signed.body);
    const { signature, secret, now } = signed;
    return eventOf(
      await webhooks.constructEventAsync(text, signature ?? "", secret, TOLERANCE / SECOND, undefined, now.getTime()),
    );
  });
  if (event === null) throw unsigned();
  return event;
}

async function judged<T>(judge: () => Promise<T>): Promise<T> {
  try {
    return await judge();
  } catch {
    throw unsigned(); // what was thrown holds the body, and maybe more
  }
}

function unsigned(): SignatureError {
  return new SignatureError("The Stripe-Signature header does not fit the body");
}
