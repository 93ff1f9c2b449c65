/** Defines the error of all failed calls. */
import type { OperationDetail } from "./schemas.ts";

interface ErrorDetails {
  readonly statusCode?: number;
  readonly retryAfter?: number | null;
  readonly requestId?: string | null;
  readonly operation?: OperationDetail | null;
  readonly cause?: unknown;
}

/**
 * A failed call. `code` is one that the reference lists for the endpoint, or one of the client:
 *
 * - `unreachable`: no response, or an incomplete one
 * - `unexpected_answer`: the response is not from Wheelwright, for example from a proxy
 * - `redirected`: the server redirects to another URL
 * - `invalid_call`: the arguments are invalid; nothing was sent
 * - `operation_failed`, `operation_cancelled`, `timed_out`: from waiting for an operation
 */
export class WheelwrightError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly statusCode: number;
  readonly code: string;
  /** Seconds to wait before retrying, as sent by the server; null if not sent. */
  readonly retryAfter: number | null;
  /** The ID of the request in the server's log. */
  readonly requestId: string | null;
  /** The last known state of the awaited operation. */
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
