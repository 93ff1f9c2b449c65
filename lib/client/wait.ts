/** Polls an operation until it is finished. */
import { buildRequest, callEndpoint, type EndpointDescription } from "./call.ts";
import type { ApiConnection } from "./connection.ts";
import { WheelwrightError } from "./error.ts";
import { isTransient, pauseBeforeRetry } from "./retry.ts";
import type { OperationDetail } from "./schemas.ts";

const SHORTEST = 500, LONGEST = 3000; // ms between two requests
const TIMEOUT = 60 * 60 * 1000;

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait, in milliseconds. Defaults to one hour. The operation continues after this timeout. */
  readonly timeout?: number | undefined;
  /** Called with the operation's first known state and after each change. */
  readonly onProgress?: ((operation: OperationDetail) => void) | undefined;
}

/**
 * Resolves when the operation succeeds. Rejects with WheelwrightError `operation_failed`, `operation_cancelled` or
 * `timed_out`, or with a permanent error from polling. Temporary errors are retried.
 */
export async function waitForOperation(
  connection: ApiConnection,
  call: EndpointDescription,
  operationId: string,
  { signal, timeout = TIMEOUT, onProgress }: WaitOptions = {},
): Promise<OperationDetail> {
  const end = performance.now() + timeout;
  let latest: OperationDetail | null = null, etag: string | null = null;
  for (let wait = SHORTEST;; wait = Math.min(LONGEST, wait * 1.2)) {
    const waitRequest = buildRequest(call, {
      params: { operationId },
      headers: { ...(etag !== null && { "if-none-match": etag }) },
    });
    const left = Math.max(1, end - performance.now());
    const request = callEndpoint(connection, waitRequest, { signal, timeout: left, maxAttempts: Infinity });
    const { status, headers, body } = await request.catch((error) => {
      const isLate = error instanceof WheelwrightError && isTransient(error); // retries ran out of time
      throw isLate ? timeoutError(operationId, latest, timeout, error) : error;
    });
    if (status !== 304) {
      latest = body as OperationDetail;
      etag = headers.get("etag");
      onProgress?.(latest);
    }
    if (latest && hasSucceeded(latest)) return latest;
    const rest = end - performance.now();
    if (rest <= 0) throw timeoutError(operationId, latest, timeout);
    await pauseBeforeRetry(connection, Math.min(wait, rest), signal);
  }
}

/** Returns whether the operation has succeeded. Throws if it failed or was cancelled. */
function hasSucceeded(operation: OperationDetail): boolean {
  const { id, kind, state, error } = operation;
  if (state === "failed") {
    const hint = error?.hint ? `; ${error.hint}` : "";
    const message = `${kind} failed: ${error?.message ?? `see operation ${id}`}${hint}`;
    throw new WheelwrightError("operation_failed", message, { operation });
  }
  if (state === "cancelled") throw new WheelwrightError("operation_cancelled", `${kind} was cancelled`, { operation });
  return state === "succeeded";
}

function timeoutError(
  id: string,
  operation: OperationDetail | null,
  timeout: number,
  cause?: unknown,
): WheelwrightError {
  const place = operation ? ` at step ${operation.step} of ${operation.of} (${operation.label})` : "";
  const message = `Operation ${id} is still running after ${Math.round(timeout / 1000)} s${place}`;
  return new WheelwrightError("timed_out", message, { operation, cause });
}
