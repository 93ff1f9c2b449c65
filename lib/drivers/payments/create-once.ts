/**
 * Creates an object at the provider only once, even if an answer is lost or the caller retries. The provider remembers
 * the result for each idempotency key for at least 24 hours, even an error. The keys are therefore numbered: if the
 * provider only repeats an earlier error, the next key is used. If a key was used with different parameters, the
 * earlier call may still be running, so `createOnce` waits until it must have finished.
 */
import type { PaymentCalls } from "#lib/drivers/payments/client.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import { isIdempotencyKeyMismatch, PaymentRefusal } from "#lib/drivers/payments/errors.ts";
import { sleep } from "#lib/base/time.ts";

interface CreateOnceOptions<T> {
  /** The idempotency key without the prefix and attempt number that are added. Unique for each object and hub. */
  readonly key: string;
  find(): Promise<T | null>;
  /** Creates the object. Returns null if an earlier call created the object, but it was deleted later. */
  create(idempotencyKey: string): Promise<T | null>;
}

const MAX_KEYS = 8;

export async function createOnce<T>(
  { settleMs, signal }: Pick<PaymentCalls, "settleMs" | "signal">,
  { key, find, create: make }: CreateOnceOptions<T>,
): Promise<T> {
  for (let number = 1; number <= MAX_KEYS; number++) {
    const found = await find();
    if (found !== null) return found;
    try {
      const created = await make(`wheelwright-${key}-${number}`);
      if (created !== null) return created;
    } catch (error) {
      if (isIdempotencyKeyMismatch(error)) await sleep(settleMs, signal);
      else if (!(error instanceof PaymentRefusal && error.replayed)) throw error;
    }
  }
  const message = "The payment provider keeps returning an earlier failure, which expires within a day";
  throw new PaymentError("replayed", message, { transient: true });
}
