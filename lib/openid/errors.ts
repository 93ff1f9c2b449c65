/** Defines the error that the client of sign-in providers throws. */
import { DriverError } from "#lib/base/errors.ts";

/**
 * Why a provider's answer was not accepted. `unavailable`: no usable answer, so the same request may succeed later.
 * `denied`: the person or the provider declined. `code`: the provider refused the code, for example a used one.
 * `issuer`: another issuer answered. `token`: the ID token is not valid.
 */
export type ProviderFailure = "unavailable" | "denied" | "code" | "issuer" | "token";

/** An error from a sign-in provider. The message never contains a token, a code or a secret. */
export class ProviderError extends DriverError {
  override readonly name = "ProviderError";
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, message: string) {
    super(failure, message, { transient: failure === "unavailable" });
    this.failure = failure;
  }
}
