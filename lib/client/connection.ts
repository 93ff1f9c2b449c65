/**
 * The contact with one server: sends a request once, and makes an answer or a WheelwrightError of what comes.
 *
 * The token stands in a header and nowhere else: no message and no error holds it.
 */
import { AnswerTooLarge, readText } from "./body.ts";
import { WheelwrightError } from "./error.ts";

export interface ConnectOptions {
  /** Where the server is, as https://wheelwright.example. */
  readonly url: string | URL;
  /** An API token. Without one, the session counts that `login` begins, or in a browser the one that is there. */
  readonly token?: string | undefined;
  /** How often a call is tried, the first time included; 5. */
  readonly tries?: number | undefined;
  /** Milliseconds for a call with all its tries and the waits in between; 2 minutes. */
  readonly timeout?: number | undefined;
  /** Milliseconds for one try; 40 s, which is more than the server gives itself. */
  readonly tryTimeout?: number | undefined;
  /** Told before each wait for the next try. */
  readonly onRetry?: ((retry: RetryNotice) => void) | undefined;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch | undefined;
  /** In place of a timer, and of Math.random: for tests. */
  readonly pause?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
}

export interface RetryNotice {
  readonly error: WheelwrightError;
  /** The number of the try that failed, from 1. */
  readonly tried: number;
  /** Milliseconds until the next one. */
  readonly wait: number;
}

export interface ApiRequest {
  readonly method: string;
  /** As the reference writes it: `/api/spokes/{spokeId}`. */
  readonly path: string;
  /** The path and query that are sent. */
  readonly target: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is answered, if not JSON. */
  readonly answer?: "text" | "stream" | "nothing" | undefined;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** JSON, text, or the bytes of a stream; undefined where there is none. */
  readonly body: unknown;
}

export interface ApiConnection {
  readonly url: string;
  readonly options: ConnectOptions;
  /** Rejects with a WheelwrightError, or with the reason of the signal. A stream lasts until its signal aborts. */
  send(asked: ApiRequest, ms: number, signal?: AbortSignal): Promise<ApiResponse>;
}

/** Throws WheelwrightError `invalid_call` for an address or a token that cannot be one. */
export function openConnection(options: ConnectOptions): ApiConnection {
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

  async function send(asked: ApiRequest, ms: number, signal?: AbortSignal): Promise<ApiResponse> {
    signal?.throwIfAborted();
    const { method, target, path, body } = asked, late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${Math.round(ms / 100) / 10} s`)), ms);
    const ends = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
    try {
      const response = await (options.fetch ?? fetch)(base + target, {
        method,
        headers: headersOf(asked),
        redirect: "manual",
        signal: ends,
        // Text Deno would send a second time by itself, where a connection is lost (denoland/deno#35610).
        ...(body !== undefined && { body: new Blob([JSON.stringify(body)]) }),
      });
      // A browser keeps its cookies to itself, and needs no help.
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
      const { status, headers } = response;
      if (asked.answer === "stream" && isStream(response)) return { status, headers, body: response.body };
      return read(asked, base, response, await readText(response, ends));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof WheelwrightError) throw error;
      if (error instanceof AnswerTooLarge) {
        const message = `${base} answered ${method} ${path} with ${error.message}`;
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

/** Without a slash at its end. */
function baseOf(text: string | URL): string {
  const url = URL.canParse(text) ? new URL(text) : null; // Node 20 lacks URL.parse
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    const message = "The server's address must be an http or https URL without a name and a password in it";
    throw new WheelwrightError("invalid_call", message);
  }
  return url.origin + url.pathname.replace(/(?:\/api)?\/*$/, "");
}

/** What cannot stand in a header would be said back by the error of whoever makes the header. */
function tokenOf(text: string | undefined): string | null {
  const token = text?.trim() ?? "";
  if (/^[\x21-\x7e]*$/.test(token)) return token || null;
  throw new WheelwrightError("invalid_call", "The token must be visible ASCII characters without spaces");
}

function read({ method, path, answer }: ApiRequest, base: string, response: Response, text: string): ApiResponse {
  const { status, headers, ok } = response, requestId = headers.get("x-request-id");
  if (status === 304) return { status, headers, body: undefined };
  const about = { statusCode: status, requestId, retryAfter: secondsIn(headers.get("retry-after")) };
  if (status === 0 || status >= 300 && status < 400) {
    const place = headers.get("location");
    throw new WheelwrightError(
      "redirected",
      `${base} leads${place ? ` to ${place}` : " elsewhere"}; connect to that`,
      about,
    );
  }
  if (ok && answer === "nothing") return { status, headers, body: undefined };
  if (ok && answer === "text") return { status, headers, body: text };
  const body = parse(text);
  if (ok && body !== undefined && answer === undefined) return { status, headers, body };
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  if (!ok && typeof code === "string" && typeof message === "string") throw new WheelwrightError(code, message, about);
  const saying = `${base} answered ${method} ${path} with ${status}, and not as Wheelwright does`;
  throw new WheelwrightError("unexpected_answer", saying, about);
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

/** Of a failed fetch the runtimes say why in its cause, or in itself; where several addresses failed, by a code alone. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message;
}
