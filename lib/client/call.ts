/** Calls an API endpoint with the caller's arguments. */
import type { ApiConnection, ApiRequest, ApiResponse } from "./connection.ts";
import { WheelwrightError } from "./error.ts";
import { type RetryLimits, sendWithRetries } from "./retry.ts";

/** Options for a single call. The defaults are the options that were passed to `connect`. */
export interface CallOptions {
  /** When this signal aborts, the call is cancelled and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take, including all attempts, in milliseconds. */
  readonly timeout?: number | undefined;
  /** The maximum number of attempts, including the first one. */
  readonly maxAttempts?: number | undefined;
}

export interface IdempotentCallOptions extends CallOptions {
  /** A key that prevents a repeated request from creating an object twice within 24 hours. Random if absent. */
  readonly idempotencyKey?: string | undefined;
}

/** An endpoint and the inputs that it accepts. Absent fields count as false. */
export interface EndpointDescription {
  readonly method: string;
  readonly path: string;
  /** Whether the endpoint has path or query parameters. */
  readonly params?: boolean;
  readonly body?: boolean;
  /** Whether the endpoint accepts an Idempotency-Key header. */
  readonly keyed?: boolean;
  /** Whether the endpoint returns a paginated list. */
  readonly pages?: boolean;
  readonly stream?: boolean;
  readonly empty?: boolean;
  readonly text?: boolean;
}

export type EndpointDescriptions<Name extends string> = Readonly<Record<Name, EndpointDescription>>;

export type CallParams = Readonly<Record<string, unknown>>;

interface CallArguments {
  readonly params?: CallParams | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Builds the request for a call. Throws WheelwrightError `invalid_call` if the arguments are invalid. */
export function buildRequest(
  call: EndpointDescription,
  { params = {}, body, headers }: CallArguments,
  key?: string,
): ApiRequest {
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
    responseType: call.stream ? "stream" : call.empty ? "nothing" : call.text ? "text" : undefined,
  };
}

/** Encodes a path segment. Refuses empty segments, `.` and `..`, because the URL would then have a different path. */
function segment(name: string, value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new WheelwrightError("invalid_call", `${name} must be a non-empty ID or name`);
}

/** Sends a request with retries. If the server lacks the endpoint, the error names the endpoint and server version. */
export async function callEndpoint(
  connection: ApiConnection,
  request: ApiRequest,
  options: RetryLimits = {},
): Promise<ApiResponse> {
  try {
    return await sendWithRetries(connection, request, options);
  } catch (error) {
    if (error instanceof WheelwrightError && ["no_route", "wrong_method"].includes(error.code)) {
      throw await missingEndpointError(connection, request, error, options.signal);
    }
    throw error;
  }
}

const VERSION: ApiRequest = { method: "GET", path: "/api/version", target: "/api/version" };

async function missingEndpointError(
  connection: ApiConnection,
  { method, path }: ApiRequest,
  error: WheelwrightError,
  signal?: AbortSignal,
) {
  const { statusCode, requestId, code } = error;
  const answer = await sendWithRetries(connection, VERSION, { signal, maxAttempts: 1, timeout: 5000 }).catch(() =>
    null
  );
  const { api, commit } = (answer?.body ?? {}) as { api?: string; commit?: string };
  const version = api && commit ? `API ${api}, commit ${commit.slice(0, 12)}` : "unknown version";
  const message = `The server at ${connection.url} (${version}) does not support ${method} ${path}`;
  return new WheelwrightError(code, message, { statusCode, requestId, cause: error });
}
