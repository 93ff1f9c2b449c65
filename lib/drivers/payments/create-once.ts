/**
 * Creates an object at the provider exactly once, even if the answer is lost or the caller retries. A repeated
 * idempotency key returns the first result for at least 24 hours, even an error such as a 500. So keys are numbered:
 * after a repeated error, the next key is used, unless the first call succeeded after all. If a key was used with other
 * parameters, that call may still be running. The code waits as long as a call can take, so that two subscriptions
 * never charge twice. Updates need no key, because they set a state and add nothing.
 */
import type { PaymentClient } from "#lib/drivers/payments/client.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import { isKeyMismatch, PaymentRefusal } from "#lib/drivers/payments/errors.ts";
import { sleep } from "#lib/base/time.ts";

interface CreateOnceOptions<T> {
  /** A key that is unique per object and hub. */
  readonly key: string;
  find(): Promise<T | null>;
  /** Creates the object. Returns null if an earlier call created the object and it was deleted since. */
  create(idempotencyKey: string): Promise<T | null>;
}

const MAX_KEYS = 8;

export async function createOnce<T>(
  { settleMs }: Pick<PaymentClient, "settleMs">,
  { key, find, create: make }: CreateOnceOptions<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let number = 1; number <= MAX_KEYS; number++) {
    const found = await find();
    if (found !== null) return found;
    try {
      const created = await make(`wheelwright-${key}-${number}`);
      if (created !== null) return created;
    } catch (error) {
      if (isKeyMismatch(error)) await sleep(settleMs, signal);
      else if (!(error instanceof PaymentRefusal && error.replayed)) throw error;
    }
  }
  const message = "The payment provider keeps repeating an earlier failure; it forgets the failure within a day";
  throw new PaymentError("replayed", message, { transient: true });
}
