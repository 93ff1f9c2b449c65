/** Lists breaking changes that the next release makes on purpose without notice, each with its reason.
 *
 * An exception is for one release. After that release the check fails until the entry is removed, so it cannot excuse
 * a later change. */
import type { BreakingKind, Change } from "#test/contract/findings.ts";

export interface ContractException {
  readonly kind: BreakingKind;
  /** The end of the sentence of each finding that it covers. */
  readonly messageEnd: string;
  /** The reason, a sentence without its full stop. */
  readonly reason: string;
}

export const CONTRACT_EXCEPTIONS: readonly ContractException[] = [];

/** Returns the exception that covers a finding, if any. */
export function findException(found: Change, exceptions: readonly ContractException[]): ContractException | undefined {
  return exceptions.find(({ kind, messageEnd: says }) => found.kind === kind && found.message.endsWith(says));
}

/** Returns exceptions that cover no finding, because their change is already released. */
export function listStaleExceptions(
  found: readonly Change[],
  exceptions: readonly ContractException[],
): readonly ContractException[] {
  return exceptions.filter((exception) => !found.some((one) => findException(one, [exception])));
}
