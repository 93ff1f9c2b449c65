/** Signs people in at OpenID Connect providers: authorization code flow with PKCE, state and nonce. */
import * as oauth from "oauth4webapi";
import { SECOND } from "#lib/base/time.ts";
import { ProviderError } from "#lib/openid/errors.ts";
import type { ProviderSettings } from "#lib/openid/load.ts";
import { openProviderMetadata, type ProviderMetadata, requireEndpoint } from "#lib/openid/metadata.ts";
import { toProviderError } from "#lib/openid/translate-errors.ts";

/** The secrets of one sign-in, which the provider's answer must match. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
}

interface CodeExchange extends SignInSecrets {
  /** The query parameters with which the provider redirected the browser. */
  readonly parameters: URLSearchParams;
  readonly redirectUri: string;
  /** The time against which the ID token's times are checked. */
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** The claims of a valid ID token, completed by the provider's userinfo endpoint. */
export type IdentityClaims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

export interface SignInProvider {
  readonly settings: ProviderSettings;
  /** Returns the provider's URL that starts a sign-in. Throws a ProviderError (`unavailable`). */
  buildStartUrl(secrets: SignInSecrets, redirectUri: string, signal: AbortSignal): Promise<URL>;
  /** Exchanges the code in the provider's redirect for a person's claims. Throws a ProviderError. */
  readClaims(exchange: CodeExchange): Promise<IdentityClaims>;
  /** Returns the URL at which the person signs out, or null if the provider has none or is unavailable. */
  buildEndUrl(returnTo: string, signal: AbortSignal): Promise<URL | null>;
  /** Reads the provider's metadata. Throws a ProviderError if it is unavailable or invalid. */
  check(signal: AbortSignal): Promise<void>;
}

/** How far the provider's clock may differ from the database's clock, in milliseconds. */
const CLOCK_TOLERANCE = 60 * SECOND;

export function createSignInProvider(settings: ProviderSettings): SignInProvider {
  const issuer = new URL(settings.issuer), metadata = openProviderMetadata(issuer);
  return {
    settings,
    async buildStartUrl({ state, nonce, verifier }, redirectUri, signal) {
      const server = await metadata.read(signal), url = new URL(server.authorization_endpoint!);
      const parameters = {
        response_type: "code",
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        scope: settings.scopes.join(" "),
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    async readClaims(exchange) {
      try {
        return await exchangeCode(settings, metadata, exchange);
      } catch (error) {
        exchange.signal.throwIfAborted();
        throw toProviderError(error, settings.issuer);
      }
    },
    async buildEndUrl(returnTo, signal) {
      try {
        const { end_session_endpoint: endpoint } = await metadata.read(signal);
        if (endpoint === undefined) return null;
        const url = requireEndpoint(endpoint, "end_session_endpoint", issuer);
        url.searchParams.set("client_id", settings.clientId);
        url.searchParams.set("post_logout_redirect_uri", returnTo);
        return url;
      } catch (error) {
        if (error instanceof ProviderError) return null;
        throw error;
      }
    },
    async check(signal) {
      await metadata.readAgain(signal);
    },
  };
}

async function exchangeCode(
  settings: ProviderSettings,
  metadata: ProviderMetadata,
  { parameters, state, nonce, verifier, redirectUri, now, signal }: CodeExchange,
): Promise<IdentityClaims> {
  const server = await metadata.read(signal), options = { ...metadata.requestOptions, signal };
  const client: oauth.Client = {
    client_id: settings.clientId,
    [oauth.clockSkew]: Math.round((now.getTime() - Date.now()) / SECOND),
    [oauth.clockTolerance]: CLOCK_TOLERANCE / SECOND,
  };
  const answer = oauth.validateAuthResponse(server, client, parameters, state);
  const response = await oauth.authorizationCodeGrantRequest(
    ...[server, client, chooseAuthentication(server, settings.clientSecret)] as const,
    ...[answer, redirectUri, verifier, options] as const,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce });
  const claims = oauth.getValidatedIdTokenClaims(tokens)!;
  await verifySignature(metadata, server, response);
  if (claims.iat * SECOND > now.getTime() + CLOCK_TOLERANCE) { // the library does not check this
    throw new ProviderError("token", "the ID token was issued in the future");
  }
  if (server.userinfo_endpoint === undefined) return claims;
  const info = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  if (info.headers.get("content-type")?.startsWith("application/jwt")) {
    throw new ProviderError("token", "the userinfo is not JSON");
  }
  return { ...await oauth.processUserInfoResponse(server, client, claims.sub, info), ...claims };
}

/**
 * Verifies the ID token's signature. If no key fits, reads the keys again, because the provider may have new ones. The
 * library shares a request for keys between callers, so it has a deadline but no caller's abort signal.
 */
async function verifySignature(
  { requestOptions, replace }: ProviderMetadata,
  server: oauth.AuthorizationServer,
  response: Response,
): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(server, response, requestOptions);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const copy = { ...server }; // the library keeps keys by object, so a copy has none
    await oauth.validateApplicationLevelSignature(copy, response, requestOptions);
    replace(server, copy);
  }
}

/** Selects how the client proves its identity: by its secret in the header if the provider accepts it, or the body. */
function chooseAuthentication(server: oauth.AuthorizationServer, secret: string | null): oauth.ClientAuth {
  if (secret === null) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic") ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
}
