/**
 * Looking with a time limit: what does not answer costs some seconds and one warning, never the rest.
 *
 * The limit holds whether or not what is called heeds its signal: a plugin that hands out credentials may hang, too.
 */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Looked } from "#lib/doctor/finding.ts";
import { messageOf } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

/** For one look at anything. */
export const LIMIT = 10 * SECOND;

/** Rejects with a ClusterError `deadline` when the time is over, with the signal's reason when it aborts. */
export async function within<T>(
  limit: number,
  outer: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const inner = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    inner.abort(reason);
    stopped.reject(reason);
  };
  const onAbort = () => stop(outer.reason);
  outer.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => stop(lateError(limit)), limit);
  try {
    const running = run(inner.signal);
    running.catch(() => {}); // it may fail long after nobody waits for it any more
    return await Promise.race([running, stopped.promise]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", onAbort);
  }
}

/** One look; what goes wrong is put into words, and only being called off is thrown. */
export type Look = <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<Looked<T>>;

export function openLook(outer: AbortSignal, limit = LIMIT): Look {
  return async (run) => {
    try {
      return { seen: await within(limit, outer, run) };
    } catch (error) {
      outer.throwIfAborted();
      return unseen(error);
    }
  };
}

export function unseen(error: unknown): Extract<Looked<never>, { readonly unseen: string }> {
  const hint = error instanceof ClusterError ? error.hint : undefined;
  return { unseen: wordsOf(error), ...(hint === undefined ? {} : { hint }) };
}

/** What an error says, down to the cause that says something; never a stack. */
export function wordsOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AggregateError && at.errors.length > 0) return wordsOf(at.errors[0]);
    if (at.name !== "ConnectionLost" && at.message !== "") return at.message;
  }
  const code = (error as { code?: unknown } | null)?.code;
  return messageOf(error) || String(code ?? "it failed without a word");
}

function lateError(limit: number): ClusterError {
  return new ClusterError("deadline", `there was no answer within ${limit / SECOND} s`, { transient: true });
}
