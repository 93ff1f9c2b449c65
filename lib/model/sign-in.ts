/** Declares how users sign in. */

/**
 * How a user signed in. `provider` is an identity provider, `link` an emailed link. A passkey counts as password and
 * second factor.
 */
export const SIGN_IN_METHODS = ["password", "provider", "passkey", "link"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** The kinds of second factors. `totp` is an app that shows a new code every 30 seconds (RFC 6238). */
export const FACTOR_KINDS = ["totp", "passkey"] as const;
export type FactorKind = (typeof FACTOR_KINDS)[number];

/** Which users must have a second factor: the values of REQUIRE_SECOND_FACTOR. */
export const FACTOR_REQUIREMENTS = ["off", "operators", "all"] as const;
export type FactorRequirement = (typeof FACTOR_REQUIREMENTS)[number];
