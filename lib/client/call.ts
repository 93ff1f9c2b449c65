/** Calls an endpoint: from its row in the table and what the caller gives, to what is answered. */
import type { ApiConnection, ApiRequest, ApiResponse } from "./connection.ts";
import { WheelwrightError } from "./error.ts";
import { type RetryBounds, sendWithRetries } from "./retry.ts";

/** Each may be left out; then what `connect` was given counts. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the call with all its tries. */
  readonly timeout?: number | undefined;
  /** How often it is tried, the first time included. */
  readonly tries?: number | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** By which the same creation, asked for again within 24 hours, is done once. A call that is given none makes one. */
  readonly idempotencyKey?: string | undefined;
}

/** How an endpoint is called. What is absent is not so. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  /** Whether it takes something in its path or query. */
  readonly params?: boolean;
  readonly body?: boolean;
  /** It takes an Idempotency-Key. */
  readonly keyed?: boolean;
  /** It is a list in pages. */
  readonly pages?: boolean;
  readonly stream?: boolean;
  readonly empty?: boolean;
  readonly text?: boolean;
}

export type ApiCalls<Name extends string> = Readonly<Record<Name, ApiCall>>;

export type Params = Readonly<Record<string, unknown>>;

interface CallArguments {
  readonly params?: Params | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The request that a call makes. Throws WheelwrightError `invalid_call`. */
export function requestOf(call: ApiCall, { params = {}, body, headers }: CallArguments, key?: string): ApiRequest {
  const { method, path } = call, rest = { ...params };
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return segment(name, value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && value !== null) {
      query.set(name, value instanceof Date ? value.toISOString() : String(value));
    }
  }
  return {
    method,
    path,
    target: query.size > 0 ? `${target}?${query}` : target,
    ...((call.body || method === "POST") && { body: body ?? {} }),
    headers: { ...(call.keyed && { "idempotency-key": key ?? crypto.randomUUID() }), ...headers },
    answer: call.stream ? "stream" : call.empty ? "nothing" : call.text ? "text" : undefined,
  };
}

/** A dot would lead to another path, and nothing to that of the list. */
function segment(name: string, value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new WheelwrightError("invalid_call", `${name} must be text that names something`);
}

/** Tries as often as is good. Where the server lacks the endpoint, the error names it and the server's version. */
export async function callEndpoint(
  contact: ApiConnection,
  asked: ApiRequest,
  options: RetryBounds = {},
): Promise<ApiResponse> {
  try {
    return await sendWithRetries(contact, asked, options);
  } catch (error) {
    if (error instanceof WheelwrightError && ["no_route", "wrong_method"].includes(error.code)) {
      throw await missingEndpointError(contact, asked, error, options.signal);
    }
    throw error;
  }
}

const VERSION: ApiRequest = { method: "GET", path: "/api/version", target: "/api/version" };

async function missingEndpointError(
  contact: ApiConnection,
  { method, path }: ApiRequest,
  error: WheelwrightError,
  signal?: AbortSignal,
) {
  const { statusCode, requestId, code } = error;
  const answer = await sendWithRetries(contact, VERSION, { signal, tries: 1, timeout: 5000 }).catch(() => null);
  const { api, commit } = (answer?.body ?? {}) as { api?: string; commit?: string };
  const version = api && commit ? `API ${api}, commit ${commit.slice(0, 12)}` : "a version that it does not tell";
  const message = `The server at ${contact.url} (${version}) has no ${method} ${path}`;
  return new WheelwrightError(code, message, { statusCode, requestId, cause: error });
}
