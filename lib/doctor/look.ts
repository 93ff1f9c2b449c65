/**
 * Reads with a time limit. A target that does not answer costs a few seconds and one warning.
 * The limit applies even if the called code ignores its signal, as a hanging credentials plugin does.
 */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Looked } from "#lib/doctor/finding.ts";
import { DriverError, messageOf } from "#lib/base/errors.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

/** The time limit of one read, in milliseconds. */
export const LIMIT = 10 * SECOND;

/** Returns a time limit, with the error that is thrown when it expires. */
export function lateAfter(ms: number) {
  const message = `there was no answer within ${ms / SECOND} s`;
  return { ms, createError: () => new ClusterError("deadline", message, { transient: true }) };
}

/** Reads a value. Returns an error as text; throws only if it was cancelled. */
export type Look = <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<Looked<T>>;

export function openLook(outer: AbortSignal, limit = LIMIT): Look {
  return async (run) => {
    try {
      return { seen: await runWithin([outer], lateAfter(limit), run) };
    } catch (error) {
      outer.throwIfAborted();
      return unseen(error);
    }
  };
}

export function unseen(error: unknown): Extract<Looked<never>, { readonly unseen: string }> {
  return { unseen: lookWords(error), hint: error instanceof DriverError ? error.hint : undefined };
}

/** Returns the error with which a server refused the call; null if the call succeeded. Throws other errors. */
export async function refusalOf(run: () => Promise<unknown>): Promise<DriverError | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof DriverError) return error;
    throw error;
  }
}

/** Returns the message of an error, or of its first cause that has a message. Never returns a stack. */
export function lookWords(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AggregateError && at.errors.length > 0) return lookWords(at.errors[0]);
    if (at.name !== "ConnectionLost" && at.message !== "") return at.message;
  }
  const code = (error as { code?: unknown } | null)?.code;
  return messageOf(error) || String(code ?? "it failed without a word");
}
