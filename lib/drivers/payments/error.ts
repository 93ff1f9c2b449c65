/** Why the payment provider did not do what it was asked. */
import { DriverError } from "#lib/base/errors.ts";

export class PaymentError extends DriverError {
  override readonly name = "PaymentError";
}

/** What came to the webhook is not the provider's. The message is for its sender. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}
