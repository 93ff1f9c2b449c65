/**
 * Decides how people may sign in: with a password, at OpenID Connect providers, or both. With PASSWORDS=off, only the
 * bootstrap admin may use a password, so that an operator can sign in while a provider is unavailable.
 */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";

export interface SignInMethods {
  /** The people who may sign in with a password. */
  readonly passwords: "everybody" | "bootstrap admin" | "nobody";
  readonly providers: readonly { readonly id: string; readonly label: string }[];
}

type Settings = Pick<App, "config">;

export function listSignInMethods({ config, providers }: Pick<App, "config" | "providers">): SignInMethods {
  const someone = config.bootstrapAdmin ? "bootstrap admin" : "nobody";
  return { passwords: config.passwords ? "everybody" : someone, providers: listSignInProviders({ providers }) };
}

/** Returns the providers' IDs and labels, in the order of their buttons. */
export function listSignInProviders({ providers }: Pick<App, "providers">): { id: string; label: string }[] {
  return providers.list.map(({ settings: { id, label } }) => ({ id, label }));
}

/** Returns whether the user with this address, in lower case, may sign in with a password. */
export function mayUsePassword({ config: { passwords, bootstrapAdmin } }: Settings, email: string): boolean {
  return passwords || bootstrapAdmin?.email === email;
}

/** Throws a `forbidden` fault (`passwords_off`) unless the user with this address may sign in with a password. */
export function requirePasswordSignIn(app: Settings, email: string): void {
  if (!mayUsePassword(app, email)) throw passwordsOffFault();
}

/** Throws a `forbidden` fault (`passwords_off`) if passwords are off, also for the bootstrap admin. */
export function requirePasswordsOn({ config }: Settings): void {
  if (!config.passwords) throw passwordsOffFault();
}

/** Returns the fault for every failed login. Its cause is the same for all addresses, so it reveals none. */
export function refusedLoginFault({ config }: Settings): Fault {
  if (!config.passwords) return passwordsOffFault();
  return new Fault("unauthenticated", "login_failed", "Wrong email address or password");
}

function passwordsOffFault(): Fault {
  return new Fault("forbidden", "passwords_off", "Passwords are off; sign in with a provider on the sign-in page");
}
