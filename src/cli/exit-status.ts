/** Maps an error of a command on a server to an exit status and a message. */
import { reasonOf } from "#lib/base/errors.ts";
import { WheelwrightError } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";

export const FAILED = 1, MISUSED = 2, NOT_FOUND = 3, NOT_ALLOWED = 4, CONFLICT = 5, TIMED_OUT = 6, SERVER = 7;

interface Ending {
  readonly status: number;
  readonly message: string;
}

export function commandEnding(error: unknown): Ending {
  if (error instanceof CommandError) return { status: error.status, message: error.message };
  if (error instanceof WheelwrightError) return { status: statusOfApi(error), message: wordsFor(error) };
  if (error instanceof Error && /^E[A-Z]+$/.test(String((error as { code?: unknown }).code))) {
    const { path } = error as { path?: string };
    return { status: FAILED, message: `${path ? `Cannot use ${path}` : "Cannot go on"}: ${reasonOf(error)}` };
  }
  const what = error instanceof Error ? error.stack ?? error.message : String(error);
  return { status: FAILED, message: `wheelwright ended by a mistake of its own; please report it:\n${what}` };
}

/** Returns the exit status for an error of the API. Errors in bulk outcomes have the same fields. */
export function statusOfApi({ code, statusCode }: { readonly code: string; readonly statusCode: number }): number {
  if (["operation_failed", "operation_cancelled"].includes(code)) return FAILED;
  if (code === "timed_out") return TIMED_OUT;
  if (["no_route", "wrong_method", "unexpected_answer", "redirected"].includes(code)) return SERVER;
  if (code === "invalid_call" || statusCode === 400) return MISUSED;
  const known: Readonly<Record<number, number>> = { 401: NOT_ALLOWED, 403: NOT_ALLOWED, 404: NOT_FOUND, 409: CONFLICT };
  return known[statusCode] ?? (code === "unreachable" || statusCode === 429 || statusCode >= 500 ? SERVER : FAILED);
}

function wordsFor(error: WheelwrightError): string {
  const { message, code, statusCode, requestId, retryAfter } = error;
  const next = statusCode === 401 && code !== "login_failed" ? "; wheelwright login signs in again" : "";
  const later = retryAfter !== null && statusCode > 0 ? `; try again in ${retryAfter} s` : "";
  const about = [code, ...(statusCode >= 500 && requestId ? [`request ${requestId}`] : [])].join(", ");
  return `${message}${next}${later} (${about})`;
}
