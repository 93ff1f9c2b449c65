/** Lists the codes of faults about second factors and recent sign-ins, each with its kind and an example message. */
import type { FaultKind } from "#lib/base/errors.ts";

export const SECOND_FACTOR_FAULTS = {
  second_factor_required: [
    "unauthenticated",
    "Send a code of your authenticator app or a recovery code to POST /api/auth/second-factor, or sign in with code",
  ],
  wrong_code: ["unauthenticated", "The code is wrong, or was used before; wait for the next code"],
  sign_in_expired: ["unauthenticated", "This sign-in has expired, or failed too often; enter your password again"],
  factor_needed: [
    "invalid",
    "Enter a code of your authenticator app as code, a recovery code as recoveryCode, or a passkey",
  ],
  passkey_refused: ["unauthenticated", "This passkey cannot sign you in; sign in with your password, or try again"],
  password_needed: ["invalid", "Enter your password"],
  wrong_factor: ["forbidden", "The second factor is wrong, or was used before; try again with a new code"],
  second_factor_enrolment_required: [
    "forbidden",
    "Your account needs a second factor; add one with POST /api/auth/factors or in the portal",
  ],
  factor_missing: ["missing", "There is no such second factor, or it is not yours"],
  last_factor: ["conflict", "You must have a second factor; add another one before you remove this one"],
  too_many_factors: ["conflict", "You have 10 second factors; remove one first"],
  too_many_codes: ["limited", "Too many wrong codes; wait 8 s, or use a recovery code"],
  recent_sign_in_required: [
    "forbidden",
    "You signed in too long ago for this; call POST /api/auth/confirm, and try again",
  ],
} as const satisfies Readonly<Record<string, readonly [kind: FaultKind, sentence: string]>>;
