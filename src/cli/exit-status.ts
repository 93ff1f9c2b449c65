/** Defines the exit statuses of all commands, and maps errors to an exit status and a message. */
import { Fault, getErrorReason, StartError } from "#lib/base/errors.ts";
import { WheelwrightError } from "#lib/client/error.ts";

/** The exit statuses. Commands that call a server use those below 10; the others are from sysexits.h and shells. */
export const EXIT = {
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  timedOut: 6,
  server: 7,
  data: 65,
  unavailable: 69,
  software: 70,
  noPermission: 77,
  config: 78,
  interrupted: 130,
} as const;

/** An error that is shown without a stack trace. */
export class CommandError extends Error {
  readonly status: number;
  constructor(status: number, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = "CommandError";
    this.status = status;
  }
}

/** An error in the command line. The program shows the command's usage below the message. */
export class UsageError extends CommandError {
  constructor(message: string, options: ErrorOptions = {}) {
    super(EXIT.usage, message, options);
  }
}

interface ErrorReport {
  readonly status: number;
  readonly message: string;
}

/** Describes an error of the command `title`. `local` is whether the command works on this machine. */
export function describeError(error: unknown, title: string, local: boolean): ErrorReport {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof CommandError) return { status: error.status, message };
  if (error instanceof WheelwrightError) return { status: findExitStatus(error), message: describeApiError(error) };
  // Compares error names, because importing the error classes would load modules that most commands do not need.
  if (name === "ConfigError") {
    return { status: EXIT.config, message: `wheelwright ${title} cannot start: ${message}` };
  }
  if (name === "MigrationError") return { status: EXIT.config, message };
  if (error instanceof StartError) return { status: EXIT.unavailable, message };
  if (error instanceof Fault) return { status: error.kind === "unavailable" ? EXIT.unavailable : EXIT.data, message };
  if (isSystemError(error)) {
    const where = error.path === undefined ? "" : ` (${error.path})`;
    const next = name === "PostgresError" ? ". To check the database, run 'wheelwright doctor'" : "";
    return {
      status: local ? EXIT.unavailable : EXIT.failed,
      message: `wheelwright ${title} failed: ${getErrorReason(error)}${where}${next}`,
    };
  }
  const what = `wheelwright ${title} failed unexpectedly. Please report this bug:\n${stack ?? message}`;
  return { status: EXIT.software, message: what };
}

/** Whether the operating system or the database reported the error. Such errors have a code; other errors are bugs. */
function isSystemError(error: unknown): error is Error & { readonly path?: string } {
  return error instanceof Error &&
    /^(?:E[A-Z]+|CONNECT\w+|[0-9A-Z]{5})$/.test(String((error as { code?: unknown }).code));
}

const STATUSES: Readonly<Record<number, number>> = {
  400: EXIT.usage,
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  409: EXIT.conflict,
};

/** Returns the exit status for an API error, or for the error of one spoke in the response to a bulk action. */
export function findExitStatus({ code, statusCode }: { readonly code: string; readonly statusCode: number }): number {
  if (["operation_failed", "operation_cancelled"].includes(code)) return EXIT.failed;
  if (code === "timed_out") return EXIT.timedOut;
  if (["no_route", "wrong_method", "unexpected_answer", "redirected"].includes(code)) return EXIT.server;
  if (code === "invalid_call") return EXIT.usage;
  return STATUSES[statusCode] ??
    (code === "unreachable" || statusCode === 429 || statusCode >= 500 ? EXIT.server : EXIT.failed);
}

function describeApiError(error: WheelwrightError): string {
  const { message, code, statusCode, requestId, retryAfter } = error;
  const next = statusCode === 401 && code !== "login_failed" ? ". To sign in again, run 'wheelwright login'" : "";
  const later = retryAfter !== null && statusCode > 0 ? `. Try again in ${retryAfter} s` : "";
  const about = [code, ...(statusCode >= 500 && requestId ? [`request ${requestId}`] : [])].join(", ");
  return `${message}${next}${later} (${about})`;
}
