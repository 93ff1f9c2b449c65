/** Builds the part of the configuration that says how people sign in. */
import type { EnvironmentVariables } from "#lib/base/variables.ts";

export function buildSignInConfig(values: EnvironmentVariables) {
  return {
    /** Whether anybody may sign up, which sets a password. */
    signup: values.SIGNUP && values.PASSWORDS,
    /** The users who must have a second factor. */
    requireSecondFactor: values.REQUIRE_SECOND_FACTOR,
    /** The path to the file that lists OpenID Connect providers; null if people sign in only with passwords. */
    signInProviders: values.SIGN_IN_PROVIDERS ?? null,
    /** Whether people can sign in with passwords. If not, only the bootstrap admin still can. */
    passwords: values.PASSWORDS,
  };
}
