/** Defines the error that every failed API call throws. */
import type { OperationDetail } from "./schemas.ts";

interface ErrorDetails {
  readonly statusCode?: number;
  readonly retryAfter?: number | null;
  readonly requestId?: string | null;
  readonly operation?: OperationDetail | null;
  readonly cause?: unknown;
}

/**
 * The error for a failed call. `code` is a code from the API reference, or one of the client's own codes:
 *
 * - `unreachable`: the server sent no response, or an incomplete response
 * - `unexpected_answer`: the response came from something other than Wheelwright, such as a proxy
 * - `redirected`: the server redirects to another URL
 * - `invalid_call`: the arguments are invalid; nothing was sent
 * - `operation_failed`, `operation_cancelled`, `timed_out`: waiting for an operation ended this way
 */
export class WheelwrightError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly statusCode: number;
  readonly code: string;
  /** How long to wait before a retry, in seconds, as requested by the server; null if not requested. */
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
