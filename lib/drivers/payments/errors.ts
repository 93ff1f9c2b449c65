/**
 * Converts errors from the payment provider's package to transient or permanent PaymentErrors. Only messages, codes and
 * numbers are kept, because the package's errors contain the request headers and therefore the API key.
 */
import type { Stripe } from "stripe";
import type { DriverErrorOptions } from "#lib/base/errors.ts";
import { PaymentError } from "#lib/drivers/payments/payments.ts";
import { SECOND } from "#lib/base/time.ts";

/** The error for an error response from the provider. */
export class PaymentRefusal extends PaymentError {
  readonly status: number;
  /** Whether the response repeats the result of an earlier call with the same idempotency key. */
  readonly replayed: boolean;

  constructor(code: string, message: string, options: DriverErrorOptions & { status: number; replayed: boolean }) {
    super(code, message, options);
    this.status = options.status;
    this.replayed = options.replayed;
  }
}

const TRANSIENT = { transient: true }, PERMANENT = { transient: false };
const BUSY = new Set(["lock_timeout", "rate_limit", "idempotency_key_in_use"]);
const RESOURCE_LIMIT = "resource_limit";
const KEY_HINT = "Check in Stripe that STRIPE_SECRET_KEY is valid and has the required permissions.";

/** Returns whether the idempotency key was used earlier with different parameters. That call's result is unknown. */
export function isIdempotencyKeyMismatch(error: unknown): boolean {
  return error instanceof PaymentRefusal && error.code === "idempotency_error";
}

/** Returns whether a limit for one object was exceeded. This limit resets more slowly than the account's rate limit. */
export function isObjectRateLimit(error: unknown): boolean {
  return error instanceof PaymentRefusal && error.code === RESOURCE_LIMIT;
}

/** Converts an error from the provider's package. Returns all other errors unchanged. */
export function toPaymentError(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof Error) || error instanceof PaymentError) return error;
  // Recognises the plain Error that the provider's package throws for an invalid page of a list.
  if (error.message.startsWith("Unexpected: ")) return new PaymentError("bad_answer", error.message, TRANSIENT);
  const { detail, type, statusCode, message } = error as Partial<Stripe.errors.StripeError> & Error;
  if (detail instanceof PaymentError) return detail;
  if (!type?.startsWith("Stripe")) return error;
  const redacted = redactMessage(message, secrets);
  if (statusCode === undefined) return new PaymentError("unreachable", redacted, TRANSIENT);
  return refusalOf(error as Stripe.errors.StripeError, statusCode, redacted);
}

function refusalOf(
  { code, rawType, headers = {} }: Stripe.errors.StripeError,
  status: number,
  redacted: string,
): PaymentRefusal {
  const replayed = headers["idempotent-replayed"] === "true";
  const createRefusal = (code: string, options: DriverErrorOptions) =>
    new PaymentRefusal(code, redacted, { ...options, status, replayed });
  const name = code || (rawType ?? `status_${status}`);
  if (rawType === "idempotency_error" && status !== 409) return createRefusal("idempotency_error", TRANSIENT);
  if (status === 401) return createRefusal("key_refused", { transient: true, hint: KEY_HINT });
  if (status === 403) return createRefusal("key_not_permitted", { transient: true, hint: KEY_HINT });
  const isObjectLimit = status === 429 && headers["stripe-rate-limited-reason"] === "resource-specific";
  const isTransient = status >= 500 || [408, 409, 424, 429].includes(status) || BUSY.has(name);
  return createRefusal(
    isObjectLimit ? RESOURCE_LIMIT : name,
    isTransient ? { transient: true, ...waitOf(headers["retry-after"]) } : PERMANENT,
  );
}

/** Returns the waiting time from the Retry-After header. Ignores waiting times longer than a day. */
function waitOf(header: unknown): { readonly retryAfterMs?: number } {
  const seconds = Number(header ?? NaN);
  return seconds > 0 && seconds <= 86_400 ? { retryAfterMs: Math.ceil(seconds * SECOND) } : {};
}

/** Returns the message on one line, without secrets and API keys, and shortened to 500 characters. */
function redactMessage(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) text = text.replaceAll(secret, "…");
  return text
    .replace(/\b(?:sk|rk|pk|ek|whsec)_[\w*]+/g, "…")
    .replace(/_secret_\w+/g, "_secret_…")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 500);
}
