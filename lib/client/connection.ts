/** Sends a request once. Returns the response, or throws a WheelwrightError, which never contains the API token. */
import { readResponseText, ResponseTooLargeError } from "./body.ts";
import { WheelwrightError } from "./error.ts";

export interface ConnectOptions {
  /** The server's URL, such as https://wheelwright.example. */
  readonly url: string | URL;
  /** An API token. Without a token, the client uses the session from `login` or, in a browser, the existing session. */
  readonly token?: string | undefined;
  /** The maximum number of attempts, including the first one. Defaults to 5. */
  readonly maxAttempts?: number | undefined;
  /** How long a call may take, including all attempts and pauses, in milliseconds. Defaults to 2 minutes. */
  readonly timeout?: number | undefined;
  /** How long one attempt may take, in milliseconds. Defaults to 40 s, which is longer than the server's own limit. */
  readonly attemptTimeout?: number | undefined;
  /** Called before each pause between two attempts. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
  /** Headers to add to each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the runtime's fetch function. */
  readonly fetch?: typeof fetch | undefined;
  /** Replaces the pause between attempts, for tests. `random` (below) replaces Math.random. */
  readonly pause?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
}

export interface RetryNotice {
  readonly error: WheelwrightError;
  /** The number of the failed attempt, counting from 1. */
  readonly attempt: number;
  /** The delay before the next attempt, in milliseconds. */
  readonly wait: number;
}

export interface ApiRequest {
  readonly method: string;
  /** The path as in the API reference: `/api/spokes/{spokeId}`. */
  readonly path: string;
  /** The actual path and query to send. */
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The type of data that the response contains. Defaults to JSON. */
  readonly responseType?: "text" | "stream" | "nothing" | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, a string, or a stream of bytes; undefined if there is no body. */
  readonly body: unknown;
}

export interface ApiConnection {
  readonly url: string;
  readonly options: ConnectOptions;
  /** Sends a request once. Rejects with a WheelwrightError or the signal's reason. The signal also ends a stream. */
  send(request: ApiRequest, ms: number, signal?: AbortSignal): Promise<ApiResponse>;
}

/** Creates a connection. Throws WheelwrightError `invalid_call` if the URL or token is invalid. */
export function createConnection(options: ConnectOptions): ApiConnection {
  const base = baseOf(options.url), token = tokenOf(options.token);
  let cookie: string | null = null;

  function headersOf({ headers, body }: ApiRequest): Record<string, string> {
    return {
      accept: "application/json",
      ...options.headers,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== null ? { authorization: `Bearer ${token}` } : cookie !== null && { cookie }),
      ...headers,
    };
  }

  async function send(request: ApiRequest, ms: number, signal?: AbortSignal): Promise<ApiResponse> {
    signal?.throwIfAborted();
    const { method, target, path, body } = request, late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no response within ${Math.round(ms / 100) / 10} s`)), ms);
    const anySignal = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      const response = await (options.fetch ?? fetch)(base + target, {
        method,
        headers: headersOf(request),
        redirect: "manual",
        signal: anySignal,
        // Sends a Blob, because Deno resends a string if the connection is lost (denoland/deno#35610).
        ...(body !== undefined && { body: new Blob([JSON.stringify(body)]) }),
      });
      // Keeps the session cookie. Browsers hide the Set-Cookie header and handle cookies themselves.
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
      const { status, headers } = response;
      if (request.responseType === "stream" && isStream(response)) return { status, headers, body: response.body };
      return read(request, base, response, await readResponseText(response, anySignal));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof WheelwrightError) throw error;
      if (error instanceof ResponseTooLargeError) {
        const message = `${base} responded to ${method} ${path} with ${error.message}`;
        throw new WheelwrightError("unexpected_answer", message, { cause: error });
      }
      const cause = late.signal.aborted ? late.signal.reason : error;
      throw new WheelwrightError("unreachable", `Cannot reach ${base}: ${reasonOf(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  return { url: base, options, send };
}

function isStream({ ok, headers }: Response): boolean {
  return ok && (headers.get("content-type") ?? "").startsWith("text/event-stream");
}

/** Returns the server's base URL without a trailing slash. */
function baseOf(text: string | URL): string {
  const url = URL.canParse(text) ? new URL(text) : null; // Node 20 lacks URL.parse
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    const message = "The server's URL must use http or https and contain no user or password";
    throw new WheelwrightError("invalid_call", message);
  }
  return url.origin + url.pathname.replace(/(?:\/api)?\/*$/, "");
}

/** Validates the token. Otherwise the runtime's error about an invalid header would contain the token. */
function tokenOf(text: string | undefined): string | null {
  const token = text?.trim() ?? "";
  if (/^[\x21-\x7e]*$/.test(token)) return token || null;
  throw new WheelwrightError("invalid_call", "The token may contain only visible ASCII characters, without spaces");
}

function read({ method, path, responseType }: ApiRequest, base: string, response: Response, text: string): ApiResponse {
  const { status, headers, ok } = response, requestId = headers.get("x-request-id");
  if (status === 304) return { status, headers, body: undefined };
  const details = { statusCode: status, requestId, retryAfter: secondsIn(headers.get("retry-after")) };
  if (status === 0 || status >= 300 && status < 400) {
    const place = headers.get("location");
    throw new WheelwrightError(
      "redirected",
      `${base} redirects${place ? ` to ${place}; use that URL` : " to another URL"}`,
      details,
    );
  }
  if (ok && responseType === "nothing") return { status, headers, body: undefined };
  if (ok && responseType === "text") return { status, headers, body: text };
  const body = parse(text);
  if (ok && body !== undefined && responseType === undefined) return { status, headers, body };
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  if (!ok && typeof code === "string" && typeof message === "string") {
    throw new WheelwrightError(code, message, details);
  }
  const explanation =
    `${base} responded to ${method} ${path} with status ${status}, which is not a response from Wheelwright`;
  throw new WheelwrightError("unexpected_answer", explanation, details);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsIn(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}

/** Returns the reason why fetch failed: the error's cause, code or message, depending on the runtime. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message;
}
