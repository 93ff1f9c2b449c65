/** Defines the error that every failed call throws. */
import type { OperationDetail } from "./schemas.ts";

interface ErrorDetails {
  readonly statusCode?: number;
  readonly retryAfter?: number | null;
  readonly requestId?: string | null;
  readonly operation?: OperationDetail | null;
  readonly cause?: unknown;
}

/**
 * A failed call. Its `code` is one that the API reference lists for the endpoint, or one of the client's own codes:
 *
 * - `unreachable`: there was no response, or it was incomplete
 * - `unexpected_answer`: the response is not from Wheelwright, for example from a proxy
 * - `redirected`: the server redirects to another URL
 * - `invalid_call`: the arguments are invalid; nothing was sent
 * - `operation_failed`, `operation_cancelled`, `timed_out`: the result of waiting for an operation
 */
export class WheelwrightError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly statusCode: number;
  readonly code: string;
  /** How long the server asks to wait before a retry, in seconds; null if it does not say. */
  readonly retryAfter: number | null;
  /** The request's ID in the server's log; null if unknown. */
  readonly requestId: string | null;
  /** The last known state of the operation that the caller waited for; null for other calls. */
  readonly operation: OperationDetail | null;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = "WheelwrightError";
    this.code = code;
    this.statusCode = details.statusCode ?? 0;
    this.retryAfter = details.retryAfter ?? null;
    this.requestId = details.requestId ?? null;
    this.operation = details.operation ?? null;
  }
}
