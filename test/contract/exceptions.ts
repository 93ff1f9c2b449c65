/** Lists breaking changes that the next release makes on purpose without notice, each with its reason.
 *
 * An exception is for one release. After that release the check fails until the entry is removed, so it cannot excuse
 * a later change. */
import type { Change, Kind } from "#test/contract/findings.ts";

export interface Exception {
  readonly kind: Kind;
  /** The end of the sentence of each finding that it covers. */
  readonly says: string;
  /** The reason, a sentence without its full stop. */
  readonly why: string;
}

export const EXCEPTIONS: readonly Exception[] = [];

/** Returns the exception that covers a finding, if any. */
export function exceptionFor(found: Change, exceptions: readonly Exception[]): Exception | undefined {
  return exceptions.find(({ kind, says }) => found.kind === kind && found.says.endsWith(says));
}

/** Returns exceptions that cover no finding, because their change is already released. */
export function staleExceptions(found: readonly Change[], exceptions: readonly Exception[]): readonly Exception[] {
  return exceptions.filter((exception) => !found.some((one) => exceptionFor(one, [exception])));
}
