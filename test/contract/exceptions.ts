/**
 * What the next release breaks on purpose and without notice: decided by people, each for a reason that is told.
 *
 * Once it is released it breaks nothing any more. Then the check fails until the entry is taken out, so that it excuses one
 * change and no later one.
 */
import type { Change, Kind } from "#test/contract/place.ts";

export interface Exception {
  readonly kind: Kind;
  /** How the sentence of each of its findings ends. */
  readonly says: string;
  /** A sentence without its full stop. */
  readonly why: string;
}

export const EXCEPTIONS: readonly Exception[] = [{
  kind: "validation_tightened",
  says: "refuses fields that it does not know, and ignored them",
  why:
    "A field with a slip in its name was lost in silence; nobody outside has been promised v0 yet, and from then on this " +
    "could only come with notice",
}];

/** The exception that a finding falls under, if it does. */
export function exceptionFor(found: Change, exceptions: readonly Exception[]): Exception | undefined {
  return exceptions.find(({ kind, says }) => found.kind === kind && found.says.endsWith(says));
}

/** Those that excuse nothing: what they were made for is released. */
export function staleExceptions(found: readonly Change[], exceptions: readonly Exception[]): readonly Exception[] {
  return exceptions.filter((exception) => !found.some((one) => exceptionFor(one, [exception])));
}
