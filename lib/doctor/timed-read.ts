/**
 * Reads with a time limit. A target that does not answer costs a few seconds and one warning.
 * The limit applies even if the called code ignores its signal, as a hanging credentials plugin does.
 */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { ReadResult } from "#lib/doctor/finding.ts";
import { DriverError, messageOf } from "#lib/base/errors.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

/** The time limit of one read, in milliseconds. */
export const READ_TIMEOUT = 10 * SECOND;

/** Returns a time limit, with the error that is thrown when it expires. */
export function timeoutAfter(ms: number) {
  const message = `there was no answer within ${ms / SECOND} s`;
  return { ms, createError: () => new ClusterError("deadline", message, { transient: true }) };
}

/** Reads a value. Returns an error as text; throws only if it was cancelled. */
export type TimedRead = <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<ReadResult<T>>;

export function openTimedRead(outer: AbortSignal, limit = READ_TIMEOUT): TimedRead {
  return async (run) => {
    try {
      return { seen: await runWithin([outer], timeoutAfter(limit), run) };
    } catch (error) {
      outer.throwIfAborted();
      return unreadable(error);
    }
  };
}

export function unreadable(error: unknown): Extract<ReadResult<never>, { readonly unseen: string }> {
  return { unseen: readErrorMessage(error), hint: error instanceof DriverError ? error.hint : undefined };
}

/** Returns the error with which a server refused the call; null if the call succeeded. Throws other errors. */
export async function findRefusal(run: () => Promise<unknown>): Promise<DriverError | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof DriverError) return error;
    throw error;
  }
}

/** Returns the message of an error, or of its first cause that has a message. Never returns a stack. */
export function readErrorMessage(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AggregateError && at.errors.length > 0) return readErrorMessage(at.errors[0]);
    if (at.name !== "ConnectionLost" && at.message !== "") return at.message;
  }
  const code = (error as { code?: unknown } | null)?.code;
  return messageOf(error) || String(code ?? "it failed without a word");
}
