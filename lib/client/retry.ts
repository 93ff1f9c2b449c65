/**
 * Retries requests that are safe to repeat: idempotent ones, and those that the server refused without processing.
 *
 * It uses exponential backoff with jitter, and respects Retry-After.
 */
import type { ApiConnection, ApiRequest, ApiResponse } from "./connection.ts";
import { WheelwrightError } from "./error.ts";

const FIRST = 250, LONGEST = 10_000; // ms
const TRIES = 5, TIMEOUT = 120_000, TRY_TIMEOUT = 40_000;

/** Codes of 503 with which the server refuses a request before processing it. Every 429 is such a refusal. */
const REFUSED_UNPROCESSED = ["overloaded", "busy"];

/** Error texts of fetch, in Node and Deno, if there was no connection and nothing was sent. */
const NEVER_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|client error \(Connect\)/;

export interface RetryBounds {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly tries?: number | undefined;
}

/** Sends a request with retries. Rejects with the last WheelwrightError, or with the signal's reason. */
export async function sendWithRetries(
  contact: ApiConnection,
  asked: ApiRequest,
  patience: RetryBounds = {},
): Promise<ApiResponse> {
  const { options } = contact, { signal } = patience;
  const tries = patience.tries ?? options.tries ?? TRIES;
  const end = performance.now() + (patience.timeout ?? options.timeout ?? TIMEOUT);
  let mayBeDone = false;
  for (let tried = 1;; tried++) {
    try {
      const left = Math.max(1, end - performance.now());
      return await contact.send(asked, Math.min(left, options.tryTimeout ?? TRY_TIMEOUT), signal);
    } catch (error) {
      if (!(error instanceof WheelwrightError)) throw error;
      if (mayBeDone && isGone(asked, error)) return { status: 204, headers: new Headers(), body: undefined };
      const wait = waitAfter(contact, error, tried);
      if (tried >= tries || performance.now() + wait >= end || !mayRepeat(asked, error)) throw error;
      mayBeDone ||= mayHaveArrived(error);
      options.onRetry?.({ error, tried, wait });
      await pauseFor(contact, wait, signal);
    }
  }
}

/** Whether the error is temporary, so that a retry may succeed. */
export function isTransient(error: WheelwrightError): boolean {
  return error.code === "unreachable" || [429, 502, 503, 504].includes(error.statusCode);
}

/** Returns the milliseconds to wait before the next attempt. */
export function waitAfter(
  { options: { random = Math.random } }: ApiConnection,
  error: WheelwrightError,
  tried: number,
): number {
  const full = Math.min(LONGEST, FIRST * 2 ** Math.min(tried, 30));
  const own = full / 2 + random() * full / 2;
  return Math.round(error.retryAfter === null ? own : error.retryAfter * 1000 + own / 2);
}

export async function pauseFor({ options }: ApiConnection, ms: number, signal: AbortSignal | undefined): Promise<void> {
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

/** Whether an earlier attempt may have deleted the object, so that 404 means success. */
function isGone({ method, answer }: ApiRequest, { statusCode, code }: WheelwrightError): boolean {
  return method === "DELETE" && answer === "nothing" && statusCode === 404 && code !== "no_route";
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
