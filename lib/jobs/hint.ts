/**
 * Adapts the hint of a failure to the operation that failed. Hints are written for a cause and contain the word
 * "retry". Only failed hubs and spokes have an action of that name. Other operations must be requested again by their
 * own name. Operations that are retried automatically need no request.
 */
import type { Job } from "#lib/jobs/job.ts";

const RETRY = /\bretry\b(?! the\b)/g; // "retry the upgrade" is already clear

/** Returns the hint of an ended operation. `state` is the current state of its hub or spoke. */
export function hintAfterFailure(
  hint: string | null,
  { kind, visible }: Pick<Job, "kind" | "visible">,
  state?: string,
): string | null {
  const canRetry = kind.startsWith("provision") || kind === "upgrade" && state === "failed";
  if (canRetry || !visible) return hint;
  return replaceRetry(hint, kind === "restore" ? "restore it again" : `request the action ${kind} again`);
}

/** Returns the hint of a failed attempt that will be retried automatically. */
export function hintWhileRetrying(hint: string | null): string | null {
  return replaceRetry(hint, "the operation continues automatically");
}

function replaceRetry(hint: string | null, replacement: string): string | null {
  return hint?.replace(RETRY, replacement) ?? null;
}
