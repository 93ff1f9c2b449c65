/**
 * Tries again what may be tried again: what is the same done twice, and what the server refused before it did anything.
 *
 * The waits double, and half of each is chance, so that many who failed together do not come back together. A server that
 * says when to come back is believed.
 */
import type { ApiConnection, ApiRequest, ApiResponse } from "./connection.ts";
import { WheelwrightError } from "./error.ts";

const FIRST = 250, LONGEST = 10_000; // ms
const TRIES = 5, TIMEOUT = 120_000, TRY_TIMEOUT = 40_000;

/** Of 503, those by which a server that is busy turns a request away before it does anything. Every 429 is of that kind. */
const REFUSED_UNPROCESSED = ["overloaded", "busy"];

/** How fetch says that no connection was made, so that nothing was sent: in Node, and in Deno. */
const NEVER_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|client error \(Connect\)/;

export interface RetryBounds {
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly tries?: number | undefined;
}

/** Rejects with the last WheelwrightError, or with the reason of the signal. */
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

/** Whether it is of no use, or of no harm, to try at another time what ended like this. */
export function isTransient(error: WheelwrightError): boolean {
  return error.code === "unreachable" || [429, 502, 503, 504].includes(error.statusCode);
}

/** Milliseconds. */
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

/** The try before may have taken it away, and only its answer was lost: then it is done. */
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
