/** What can go wrong when the API is called: one class, whatever it was. */
import type { OperationDetail } from "./schemas.ts";

interface ErrorDetails {
  readonly statusCode?: number;
  readonly retryAfter?: number | null;
  readonly requestId?: string | null;
  readonly operation?: OperationDetail | null;
  readonly cause?: unknown;
}

/**
 * Programs go by `code`: one of those that the reference lists for the endpoint, or one of the client's own:
 *
 * - `unreachable`: no answer came, or half of one
 * - `unexpected_answer`: the answer is none of Wheelwright's, as of a proxy; `redirected`: it leads to another address
 * - `invalid_call`: what the call was given is refused before it is sent
 * - `operation_failed`, `operation_cancelled`, `timed_out`: of an operation that was waited for
 */
export class WheelwrightError extends Error {
  /** The status of the answer; 0 where none came. */
  readonly statusCode: number;
  readonly code: string;
  /** Seconds after which trying again makes sense, as the server says; null where it does not. */
  readonly retryAfter: number | null;
  /** Names the request in the server's log. */
  readonly requestId: string | null;
  /** The operation that was waited for, as it was seen last. */
  readonly operation: OperationDetail | null;

  constructor(code: string, message: string, particulars: ErrorDetails = {}) {
    super(message, particulars.cause === undefined ? {} : { cause: particulars.cause });
    this.name = "WheelwrightError";
    this.code = code;
    this.statusCode = particulars.statusCode ?? 0;
    this.retryAfter = particulars.retryAfter ?? null;
    this.requestId = particulars.requestId ?? null;
    this.operation = particulars.operation ?? null;
  }
}
