/** Checks the OpenID Connect providers at which people sign in. */
import { createPass, createWarning, type Finding } from "#lib/doctor/finding.ts";
import { catchDriverError, type TimedRead } from "#lib/doctor/timed-read.ts";
import { createSignInProvider, type SignInProvider } from "#lib/openid/client.ts";
import type { ProviderSettings } from "#lib/openid/load.ts";

/** Reads each provider's metadata. Returns no finding if no provider is configured. */
export async function checkSignInProviders(
  settings: readonly ProviderSettings[],
  timedRead: TimedRead,
): Promise<Finding[]> {
  return await Promise.all(settings.map((each) => checkProvider(createSignInProvider(each), timedRead)));
}

async function checkProvider(
  { settings: { id, issuer }, check }: SignInProvider,
  timedRead: TimedRead,
): Promise<Finding> {
  const name = `sign-in ${id}`, hint = "Check the issuer in SIGN_IN_PROVIDERS, and the network's way to it.";
  const result = await timedRead((signal) => catchDriverError(() => check(signal)));
  if (!("value" in result)) return createWarning(name, `could not be checked: ${result.error}`, hint);
  if (result.value) return createWarning(name, result.value.message, hint);
  return createPass(name, `${issuer} answers`);
}
