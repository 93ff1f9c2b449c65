/**
 * Reads values with a time limit. The limit applies even if the reading code ignores its abort signal, for example if
 * a credentials plugin hangs.
 */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { ReadResult } from "#lib/doctor/finding.ts";
import { DriverError, getErrorMessage } from "#lib/base/errors.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

/** The default time limit for each read, in milliseconds. */
export const READ_TIMEOUT = 10 * SECOND;

/** Returns a time limit in milliseconds, and a function that creates the error to throw when the limit expires. */
export function createReadTimeout(ms: number) {
  const message = `no answer within ${ms / SECOND} s`;
  return { ms, createError: () => new ClusterError("deadline", message, { transient: true }) };
}

/** Reads a value within a time limit. Returns an error message on failure. Throws only if the read is cancelled. */
export type TimedRead = <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<ReadResult<T>>;

export function createReadWithTimeout(cancelSignal: AbortSignal, timeoutMs = READ_TIMEOUT): TimedRead {
  return async (run) => {
    try {
      return { value: await runCancellable([cancelSignal], createReadTimeout(timeoutMs), run) };
    } catch (error) {
      cancelSignal.throwIfAborted();
      return toReadFailure(error);
    }
  };
}

export function toReadFailure(error: unknown): Extract<ReadResult<never>, { readonly error: string }> {
  return { error: readErrorMessage(error), hint: error instanceof DriverError ? error.hint : undefined };
}

/** Returns the DriverError with which a call failed, or null if the call succeeded. Throws any other error. */
export async function catchDriverError(run: () => Promise<unknown>): Promise<DriverError | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof DriverError) return error;
    throw error;
  }
}

/** Returns the message from an error or from its cause, without a stack trace. */
export function readErrorMessage(error: unknown): string {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if (current instanceof AggregateError && current.errors.length > 0) return readErrorMessage(current.errors[0]);
    if (current.name !== "ConnectionLost" && current.message !== "") return current.message;
  }
  const code = (error as { code?: unknown } | null)?.code;
  return getErrorMessage(error) || String(code ?? "unknown error");
}
