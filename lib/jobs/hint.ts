/**
 * Adapts the hint in a failure report to the failed operation. Hints say "retry", but only failed hubs and spokes have
 * a retry action. For other operations the hint names the operation to request again.
 */
import type { Job } from "#lib/jobs/job.ts";

const RETRY = /\bretry\b(?! the\b)/g; // "retry the upgrade" is already clear

/** Returns the hint for an operation that has ended. `state` is the current state of its hub or spoke. */
export function buildFailureHint(
  hint: string | null,
  { kind, visible }: Pick<Job, "kind" | "visible">,
  state?: string,
): string | null {
  const canRetry = kind.startsWith("provision") || kind === "upgrade" && state === "failed";
  if (canRetry || !visible) return hint;
  return replaceRetry(hint, kind === "restore" ? "restore it again" : `request the action ${kind} again`);
}

/** Returns the hint to show while a failed operation is being retried automatically. */
export function buildRetryHint(hint: string | null): string | null {
  return replaceRetry(hint, "the operation continues automatically");
}

function replaceRetry(hint: string | null, replacement: string): string | null {
  return hint?.replace(RETRY, replacement) ?? null;
}
