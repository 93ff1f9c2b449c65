/** Lists the fault codes of signing in at OpenID Connect providers, and of passwords that are off (faults.ts). */
import type { FaultKind } from "#lib/base/errors.ts";

export const PROVIDER_FAULTS = {
  sign_in_refused: [
    "forbidden",
    "Contoso has not verified your email address: verify it there, or ask for an invitation here",
  ],
  passwords_off: ["forbidden", "Passwords are off; sign in with a provider on the sign-in page"],
  provider_missing: ["missing", "There is no such sign-in provider"],
  provider_unavailable: ["unavailable", "Contoso does not answer right now; try again, or sign in another way"],
  identity_missing: ["missing", "There is no such link to a provider"],
  identity_needed: ["conflict", "This is the only way in which you can sign in; set a password first"],
} as const satisfies Readonly<Record<string, readonly [kind: FaultKind, sentence: string]>>;
