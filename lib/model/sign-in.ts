/** Declares how users sign in. */

/**
 * How a user signed in. `provider` is an identity provider, `link` an emailed link. A passkey counts as password and
 * second factor.
 */
export const SIGN_IN_METHODS = ["password", "provider", "passkey", "link"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];
