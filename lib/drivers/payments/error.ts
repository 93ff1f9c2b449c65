/**
 * Why the payment provider did not do what it was asked, in a sentence for operators, and whether another try can help.
 *
 * It carries no cause: what the provider's client throws holds its request, and with it the key.
 */
export interface PaymentErrorOptions {
  /** Whether the same call may succeed later: the provider is away or busy, or a person has to mend something first. */
  readonly transient: boolean;
  /** What a person can do, a sentence. */
  readonly hint?: string;
  /** Milliseconds before another try makes sense. */
  readonly retryAfterMs?: number;
}

export class PaymentError extends Error {
  readonly code: string;
  readonly transient: boolean;
  readonly hint: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, options: PaymentErrorOptions) {
    super(message);
    this.name = "PaymentError";
    this.code = code;
    this.transient = options.transient;
    this.hint = options.hint;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What came to the webhook is not the provider's. The message is for whoever sent it. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}
