/**
 * Sends the requests of the OpenID Connect library. Each answer has a deadline and a maximum size, and redirects are
 * not followed. The library's default, fetch, has neither bound.
 */
import type * as oauth from "oauth4webapi";
import { SECOND } from "#lib/base/time.ts";
import { sendHttpRequest } from "#lib/drivers/exchange.ts";
import { ProviderError } from "#lib/openid/errors.ts";

export const PROVIDER_DEADLINE = 8 * SECOND;
/** The maximum size of an answer in bytes. An ID token with a thousand groups is much smaller. */
const MAX_BYTES = 512 * 1024;

type FetchOptions = oauth.CustomFetchOptions<
  string,
  URLSearchParams | ReadableStream | Uint8Array | string | undefined | null
>;

/** Sends a request for the library. Throws a ProviderError, or the reason of the abort signal. */
export async function fetchFromProvider(address: string, options: FetchOptions): Promise<Response> {
  const { method, headers, body, signal } = options;
  const { status, headers: received, body: text } = await sendHttpRequest({
    method,
    url: new URL(address),
    headers,
    ...(body instanceof URLSearchParams && { body: body.toString() }),
    options: { agent: false },
    deadline: PROVIDER_DEADLINE,
    signals: signal ? [signal] : [],
    maxBytes: MAX_BYTES,
    fail: (failure, description, { message }) =>
      new ProviderError("unavailable", `${description} failed (${failure}): ${message || "the connection was lost"}`),
  });
  const hasBody = status >= 200 && status !== 204 && status !== 205 && status !== 304;
  const contentType = received["content-type"], challenge = received["www-authenticate"];
  return new Response(hasBody ? text : null, {
    status: status >= 200 && status <= 599 ? status : 502,
    headers: {
      ...(contentType !== undefined && { "content-type": contentType }),
      ...(challenge !== undefined && { "www-authenticate": challenge }),
    },
  });
}
