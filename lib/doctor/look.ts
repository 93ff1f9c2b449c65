/**
 * Looking with a time limit: what does not answer costs some seconds and one warning, never the rest.
 *
 * The limit holds whether or not what is called heeds its signal: a plugin that hands out credentials may hang, too.
 */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Looked } from "#lib/doctor/finding.ts";
import { DriverError, messageOf } from "#lib/base/errors.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

/** For one look at anything. */
export const LIMIT = 10 * SECOND;

/** What `within` ends with when the time is over. */
export function lateAfter(ms: number) {
  const message = `there was no answer within ${ms / SECOND} s`;
  return { ms, createError: () => new ClusterError("deadline", message, { transient: true }) };
}

/** One look; what goes wrong is put into words, and only being called off is thrown. */
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

/** What somebody refuses who was reached; null for one who lets us in. */
export async function refusalOf(run: () => Promise<unknown>): Promise<DriverError | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof DriverError) return error;
    throw error;
  }
}

/** What an error says, down to the cause that says something; never a stack. */
export function lookWords(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AggregateError && at.errors.length > 0) return lookWords(at.errors[0]);
    if (at.name !== "ConnectionLost" && at.message !== "") return at.message;
  }
  const code = (error as { code?: unknown } | null)?.code;
  return messageOf(error) || String(code ?? "it failed without a word");
}
