/** Starts a sign-in at an OpenID Connect provider. */
import type { App } from "#lib/app.ts";
import { createBrowserCookie, readBrowserCookie } from "#lib/domains/auth/cookie.ts";
import { requireMailLink } from "#lib/domains/auth/mail-link.ts";
import { findOneTimeToken, invalidLinkFault } from "#lib/domains/auth/one-time-tokens.ts";
import { insertSignInRequest } from "#lib/domains/auth/providers/requests.ts";
import { createSecret, hasSecretFormat } from "#lib/drivers/crypto/secret.ts";
import { buildAbsoluteUrl } from "#lib/base/config.ts";
import { Fault } from "#lib/base/errors.ts";
import type { SignInProvider } from "#lib/openid/client.ts";
import { ProviderError } from "#lib/openid/errors.ts";

interface SignInStart {
  readonly providerId: string;
  /** The path to open after the sign-in, on this service. */
  readonly nextPath: string;
  /** The secret of an invitation's link, which the person accepts by signing in. */
  readonly invitation?: string | undefined;
}

/**
 * Stores the sign-in and returns the provider's URL, and the cookie that binds the sign-in to the browser. Throws a fault:
 * `missing` (`provider_missing`), `unavailable` (`provider_unavailable`) or `impossible` (`link_spent`).
 */
export async function startProviderSignIn(
  app: App,
  request: Request,
  { providerId, nextPath, invitation }: SignInStart,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly cookie: string }> {
  const provider = requireProvider(app, providerId), { publicUrl } = app.config;
  const invitationId = invitation === undefined ? null : await findInvitationId(app, invitation);
  // Keeps the cookie of an earlier start, so that sign-ins in two tabs do not disturb each other.
  const known = readBrowserCookie(publicUrl, request);
  const browser = known !== null && hasSecretFormat(known) ? known : createSecret();
  const secrets = await insertSignInRequest(app.db.rows, browser, { provider: providerId, nextPath, invitationId });
  try {
    const url = await provider.buildStartUrl(secrets, buildRedirectUri(app, providerId), signal);
    return { url: url.href, cookie: createBrowserCookie(publicUrl, browser) };
  } catch (error) {
    throw toUnavailableFault(app, provider, error);
  }
}

/** Returns the URL that ends the person's session at the provider, or the sign-in page if the provider has none. */
export async function buildProviderEndUrl(app: App, providerId: string, signal: AbortSignal): Promise<string> {
  const provider = requireProvider(app, providerId), home = app.config.portal ? "/sign-in" : "/";
  const url = await provider.buildEndUrl(buildAbsoluteUrl(app.config.publicUrl, home).href, signal);
  return url?.href ?? home;
}

export function requireProvider({ providers }: App, id: string): SignInProvider {
  const provider = providers.find(id);
  if (provider) return provider;
  throw new Fault("missing", "provider_missing", "There is no such sign-in provider");
}

/** Returns the URL to which the provider redirects the browser. It must be registered at the provider. */
export function buildRedirectUri({ config }: App, providerId: string): string {
  return buildAbsoluteUrl(config.publicUrl, `/api/auth/providers/${providerId}/callback`).href;
}

/** Logs why a provider is unavailable and returns the fault for it. Returns any other error unchanged. */
export function toUnavailableFault({ log }: App, { settings }: SignInProvider, error: unknown): unknown {
  if (!(error instanceof ProviderError) || error.failure !== "unavailable") return error;
  log.warn("A sign-in provider is unavailable", { provider: settings.id, problem: error.message });
  const message = `${settings.label} does not answer right now; try again, or sign in another way`;
  return new Fault("unavailable", "provider_unavailable", message);
}

async function findInvitationId({ db }: App, secret: string): Promise<string> {
  await requireMailLink(db.rows, "invitation", secret); // the link of a disabled user does not work
  const token = await findOneTimeToken(db.rows, "invitation", secret);
  if (!token) throw invalidLinkFault();
  return token.id;
}
