/** Maps an error in a client command to an exit status and a message. */
import { getErrorReason } from "#lib/base/errors.ts";
import { WheelwrightError } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";

export const EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_NOT_FOUND = 3,
  EXIT_NOT_ALLOWED = 4,
  EXIT_CONFLICT = 5,
  EXIT_TIMED_OUT = 6,
  EXIT_SERVER = 7;

interface ErrorReport {
  readonly status: number;
  readonly message: string;
}

export function describeError(error: unknown): ErrorReport {
  if (error instanceof CommandError) return { status: error.status, message: error.message };
  if (error instanceof WheelwrightError) return { status: findExitStatus(error), message: describeApiError(error) };
  if (error instanceof Error && /^E[A-Z]+$/.test(String((error as { code?: unknown }).code))) {
    const { path } = error as { path?: string };
    return {
      status: EXIT_FAILED,
      message: `${path ? `Cannot use ${path}` : "The command failed"}: ${getErrorReason(error)}`,
    };
  }
  const what = error instanceof Error ? error.stack ?? error.message : String(error);
  return { status: EXIT_FAILED, message: `wheelwright failed unexpectedly. Please report this bug:\n${what}` };
}

/** Returns the exit status for an API error, or for the error of one spoke in the response to a bulk action. */
export function findExitStatus({ code, statusCode }: { readonly code: string; readonly statusCode: number }): number {
  if (["operation_failed", "operation_cancelled"].includes(code)) return EXIT_FAILED;
  if (code === "timed_out") return EXIT_TIMED_OUT;
  if (["no_route", "wrong_method", "unexpected_answer", "redirected"].includes(code)) return EXIT_SERVER;
  if (code === "invalid_call" || statusCode === 400) return EXIT_USAGE;
  const statuses: Readonly<Record<number, number>> = {
    401: EXIT_NOT_ALLOWED,
    403: EXIT_NOT_ALLOWED,
    404: EXIT_NOT_FOUND,
    409: EXIT_CONFLICT,
  };
  return statuses[statusCode] ??
    (code === "unreachable" || statusCode === 429 || statusCode >= 500 ? EXIT_SERVER : EXIT_FAILED);
}

function describeApiError(error: WheelwrightError): string {
  const { message, code, statusCode, requestId, retryAfter } = error;
  const next = statusCode === 401 && code !== "login_failed" ? ". To sign in again, run 'wheelwright login'" : "";
  const later = retryAfter !== null && statusCode > 0 ? `. Try again in ${retryAfter} s` : "";
  const about = [code, ...(statusCode >= 500 && requestId ? [`request ${requestId}`] : [])].join(", ");
  return `${message}${next}${later} (${about})`;
}
