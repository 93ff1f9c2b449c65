/** Declares the clients of systems outside of this service, which the application context holds. */
import type { PaymentProvider } from "#lib/drivers/payments/payments.ts";
import type { OutgoingClients } from "#lib/drivers/webhooks/open.ts";
import type { SignInProviders } from "#lib/openid/providers.ts";

export interface ExternalSystems extends OutgoingClients {
  /** The OpenID Connect providers at which people may sign in. Empty unless SIGN_IN_PROVIDERS is set. */
  readonly providers: SignInProviders;
  /** The payment provider; null if none is connected. */
  readonly payments: PaymentProvider | null;
}
