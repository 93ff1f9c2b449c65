/** Holds the sign-in providers of this process, in the order of the SIGN_IN_PROVIDERS file. */
import { createSignInProvider, type SignInProvider } from "#lib/openid/client.ts";
import type { ProviderSettings } from "#lib/openid/load.ts";

export interface SignInProviders {
  readonly list: readonly SignInProvider[];
  find(id: string): SignInProvider | undefined;
}

export function createSignInProviders(settings: readonly ProviderSettings[]): SignInProviders {
  const list = settings.map((each) => createSignInProvider(each));
  return { list, find: (id) => list.find((provider) => provider.settings.id === id) };
}
