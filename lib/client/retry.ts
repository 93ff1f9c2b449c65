/**
 * Retries requests that are safe to repeat: idempotent requests, and requests that the server refused without
 * processing. Uses exponential backoff with jitter and respects Retry-After.
 */
import type { ApiConnection, ApiRequest, ApiResponse } from "./connection.ts";
import { WheelwrightError } from "./error.ts";

const FIRST = 250, LONGEST = 10_000; // pause before a retry, in ms
const TRIES = 5, TIMEOUT = 120_000, TRY_TIMEOUT = 40_000;

/** Codes of 503 errors for requests that the server did not process. Status 429 always means that, too. */
const REFUSED_UNPROCESSED = ["overloaded", "busy"];

/** Matches fetch errors in Node.js and Deno that occur before a connection exists, so nothing was sent. */
const NEVER_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|client error \(Connect\)/;

export interface RetryLimits {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly maxAttempts?: number | undefined;
}

/** Sends a request with retries. Rejects with the last attempt's WheelwrightError, or with the signal's reason. */
export async function sendWithRetries(
  connection: ApiConnection,
  request: ApiRequest,
  bounds: RetryLimits = {},
): Promise<ApiResponse> {
  const { options } = connection, { signal } = bounds;
  const maxAttempts = bounds.maxAttempts ?? options.maxAttempts ?? TRIES;
  const end = performance.now() + (bounds.timeout ?? options.timeout ?? TIMEOUT);
  let mayBeDone = false;
  for (let attempt = 1;; attempt++) {
    try {
      const left = Math.max(1, end - performance.now());
      return await connection.send(request, Math.min(left, options.attemptTimeout ?? TRY_TIMEOUT), signal);
    } catch (error) {
      if (!(error instanceof WheelwrightError)) throw error;
      if (mayBeDone && isGone(request, error)) return { status: 204, headers: new Headers(), body: undefined };
      const wait = delayBeforeRetry(connection, error, attempt);
      if (attempt >= maxAttempts || performance.now() + wait >= end || !mayRepeat(request, error)) throw error;
      mayBeDone ||= mayHaveArrived(error);
      options.onRetry?.({ error, attempt, wait });
      await pauseBeforeRetry(connection, wait, signal);
    }
  }
}

/** Returns whether the error is temporary, so that a retry may succeed. */
export function isTransient(error: WheelwrightError): boolean {
  return error.code === "unreachable" || [429, 502, 503, 504].includes(error.statusCode);
}

/** Returns how long to wait before the next attempt, in milliseconds. */
export function delayBeforeRetry(
  { options: { random = Math.random } }: ApiConnection,
  error: WheelwrightError,
  attempt: number,
): number {
  const full = Math.min(LONGEST, FIRST * 2 ** Math.min(attempt, 30));
  const own = full / 2 + random() * full / 2;
  return Math.round(error.retryAfter === null ? own : error.retryAfter * 1000 + own / 2);
}

export async function pauseBeforeRetry(
  { options }: ApiConnection,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await (options.pause ?? pause)(ms, signal);
}

function mayRepeat({ method, headers }: ApiRequest, error: WheelwrightError): boolean {
  return isTransient(error) &&
    (method !== "POST" || headers?.["idempotency-key"] !== undefined || !mayHaveArrived(error));
}

function mayHaveArrived({ statusCode, code, message }: WheelwrightError): boolean {
  if (code === "unreachable") return !NEVER_SENT.test(message);
  return statusCode !== 429 && !REFUSED_UNPROCESSED.includes(code);
}

/** Returns whether a 404 response to a deletion counts as success: an earlier attempt may have deleted the object. */
function isGone({ method, responseType }: ApiRequest, { statusCode, code }: WheelwrightError): boolean {
  return method === "DELETE" && responseType === "nothing" && statusCode === 404 && code !== "no_route";
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
