/**
 * Making something at the provider once, though the answer may be lost, and though the caller may be cut off and come back.
 *
 * An idempotency key makes a repeated call answer what the first did, for at least 24 hours; also when that was a failure,
 * a 500 among them. So a key that is derived from what is wanted could bar it for a day. Here the keys are numbered, and the
 * next is taken when the answer is no more than the memory of a failure; before that it is looked whether the first call
 * has worked after all.
 *
 * A key that was used with other parameters tells nothing of that call, which may be under way still. So it is given the
 * time that a call can take before it counts as failed: two subscriptions would charge twice.
 *
 * Changes of what is there have no such key: they say what is to be, not what is to be added, and are looked at before.
 */
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import { isKeyMismatch, PaymentRefusal } from "#lib/drivers/payments/errors.ts";
import { sleep } from "#lib/base/time.ts";

interface CreateOnceOptions<T> {
  /** What no other wish has: of what, and for whom. */
  readonly key: string;
  find(): Promise<T | null>;
  /** Null when what an earlier call with this key has made is there no more. */
  create(idempotencyKey: string): Promise<T | null>;
}

const MAX_KEYS = 8;

export async function createOnce<T>(
  { settle }: Pick<PaymentClient, "settle">,
  { key, find, create: make }: CreateOnceOptions<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let number = 1; number <= MAX_KEYS; number++) {
    const found = await find();
    if (found !== null) return found;
    try {
      const made = await make(`wheelwright-${key}-${number}`);
      if (made !== null) return made;
    } catch (error) {
      if (isKeyMismatch(error)) await sleep(settle, signal);
      else if (!(error instanceof PaymentRefusal && error.replayed)) throw error;
    }
  }
  const message = "The payment provider only repeats earlier failures; it forgets them within a day";
  throw new PaymentError("replayed", message, { transient: true });
}
