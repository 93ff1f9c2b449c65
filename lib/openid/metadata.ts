/**
 * Reads and keeps a provider's metadata. It is read when it is first needed, so a provider that is unavailable does not
 * stop the start, and read again after an hour.
 */
import * as oauth from "oauth4webapi";
import { HOUR } from "#lib/base/time.ts";
import { ProviderError } from "#lib/openid/errors.ts";
import { fetchFromProvider } from "#lib/openid/fetch.ts";
import { toUnavailableError } from "#lib/openid/translate-errors.ts";
import { isAllowedProviderUrl, isLoopbackHttp } from "#lib/openid/urls.ts";

export interface ProviderMetadata {
  /** The options for the library's requests to this provider. */
  readonly requestOptions: {
    readonly [oauth.customFetch]: typeof fetchFromProvider;
    readonly [oauth.allowInsecureRequests]: boolean;
  };
  /** Returns the metadata, if necessary older than an hour. Throws a ProviderError (`unavailable`). */
  read(signal: AbortSignal): Promise<oauth.AuthorizationServer>;
  /** Reads the metadata from the provider. Throws a ProviderError (`unavailable`). */
  readAgain(signal: AbortSignal): Promise<oauth.AuthorizationServer>;
  /** Replaces the metadata `before` by a copy, with which the library also keeps the provider's current keys. */
  replace(before: oauth.AuthorizationServer, copy: oauth.AuthorizationServer): void;
}

const LIFETIME = HOUR;

export function openProviderMetadata(issuer: URL): ProviderMetadata {
  const isLoopback = isLoopbackHttp(issuer);
  const requestOptions = { [oauth.customFetch]: fetchFromProvider, [oauth.allowInsecureRequests]: isLoopback };
  let kept: { readonly server: oauth.AuthorizationServer; readonly readAt: number } | undefined;
  let pending: Promise<oauth.AuthorizationServer> | undefined;

  async function discover(): Promise<oauth.AuthorizationServer> {
    const response = await oauth.discoveryRequest(issuer, requestOptions);
    const server = await oauth.processDiscoveryResponse(issuer, response);
    requireEndpoint(server.authorization_endpoint, "authorization_endpoint", issuer);
    kept = { server, readAt: performance.now() };
    return server;
  }

  /** Concurrent callers share one request, so it has a deadline, but stops for no caller's abort signal. */
  async function readAgain(signal: AbortSignal): Promise<oauth.AuthorizationServer> {
    pending ??= discover().finally(() => pending = undefined);
    try {
      return await waitFor(pending, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw toUnavailableError(error, issuer.href);
    }
  }

  return {
    requestOptions,
    readAgain,
    async read(signal) {
      if (kept && performance.now() - kept.readAt < LIFETIME) return kept.server;
      try {
        return await readAgain(signal);
      } catch (error) {
        if (kept && error instanceof ProviderError) return kept.server; // still works if the provider is away for a moment
        throw error;
      }
    },
    replace(before, copy) {
      if (kept?.server === before) kept = { ...kept, server: copy };
    },
  };
}

/** Returns an endpoint's URL, to which browsers are redirected. Throws a ProviderError for other schemes than https. */
export function requireEndpoint(text: string | undefined, name: string, issuer: URL): URL {
  const url = text === undefined ? null : URL.parse(text);
  if (url && isAllowedProviderUrl(url, isLoopbackHttp(issuer))) return url;
  throw new ProviderError("unavailable", `the provider's ${name} is not an https URL`);
}

/** Waits for shared work until the caller's signal is aborted. The work continues for the other callers. */
async function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>(), onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
