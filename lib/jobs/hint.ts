/**
 * What to do once the cause of a failure is gone, in words that hold for what failed.
 *
 * A hint is written for its cause, whatever operation met it, and says "retry" of it. The action of that name is not
 * for all: it is taken by hubs and spokes that failed. What an action could not do is asked for again by its own name,
 * and what is tried again by itself is not asked for at all.
 */
import type { Job } from "#lib/jobs/job.ts";

const RETRY = /\bretry\b(?! the\b)/g; // "retry the upgrade" says by itself what is meant

/** Of an operation that has ended; `state` is what its spoke or hub is in since. */
export function hintAfterFailure(
  hint: string | null,
  { kind, visible }: Pick<Job, "kind" | "visible">,
  state?: string,
): string | null {
  const canRetry = kind.startsWith("provision") || kind === "upgrade" && state === "failed";
  if (canRetry || !visible) return hint;
  return replaceRetry(hint, kind === "restore" ? "restore it again" : `ask for the action ${kind} again`);
}

/** Of a try that is followed by another. */
export function hintWhileRetrying(hint: string | null): string | null {
  return replaceRetry(hint, "it goes on by itself");
}

function replaceRetry(hint: string | null, replacement: string): string | null {
  return hint?.replace(RETRY, replacement) ?? null;
}
