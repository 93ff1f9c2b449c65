/**
 * Checks a chain (the audit events of one hub) against its seal, which is a hash stored after each batch of events, and
 * against heads, which are hashes that were exported earlier. Somebody who can rewrite the events can also rewrite the
 * seal, but not an exported head. If a head matches, all events that the head covers are unchanged.
 */
import { formatCount } from "#lib/base/text.ts";
import type { ChainHead } from "#lib/audit/chain.ts";

export interface ChainCheckInput {
  /** The chain's seal (last stored hash). Undefined if no event is sealed yet. */
  readonly seal: ChainHead | undefined;
  /** Chain heads (hashes) that an operator exported earlier. */
  readonly exported: readonly ChainHead[];
  /** The number of events that exist in the database. */
  readonly events: number;
  /** The number of existing events up to and including the event at which the seal was written. */
  readonly covered: number;
  /** The number of events that were ever written, according to a counter in the database. */
  readonly written: number;
  /** The recomputed hashes, keyed by the number of events that each hash covers. */
  readonly hashes: ReadonlyMap<number, string>;
}

export interface ChainCheckResult {
  /** Descriptions of mismatches; empty if the events match the seal and the exported heads. */
  readonly problems: readonly string[];
  /** The range that contains the first changed event: after event number `after`, up to `through`. Null if none. */
  readonly differs: { readonly after: number; readonly through: number } | null;
}

export function checkChain(facts: ChainCheckInput): ChainCheckResult {
  const { seal, hashes } = facts;
  const exported = [...facts.exported].sort((a, b) => a.count - b.count);
  const matches = ({ count, hash }: ChainHead): boolean => hashes.get(count) === hash;
  const trusted = exported.findLast(matches)?.count ?? 0;
  const marks = [...exported, ...(seal ? [seal] : [])].sort((a, b) => a.count - b.count);
  const first = marks.find((mark) => mark.count > trusted && !matches(mark));
  const differs = first ? { after: trusted, through: first.count } : null;
  const problems = [
    ...checkSeal(facts, trusted, seal !== undefined && matches(seal)),
    ...checkCount(facts),
    ...checkLaterHead(facts, exported.findLast(({ count }) => count > (seal?.count ?? 0)), matches),
    ...checkEarlierHead(
      facts,
      exported.find((head) => head.count <= (seal?.count ?? 0) && !matches(head)),
      trusted,
      matches,
    ),
  ];
  return { problems, differs };
}

function checkSeal({ seal, exported, covered }: ChainCheckInput, trusted: number, matches: boolean): string[] {
  if (!seal) {
    return exported.length > 0 ? ["The chain's seal is missing, although a head (hash) was exported"] : [];
  }
  const { count } = seal;
  if (matches) {
    return covered === count ? [] : ["The seal was changed: its position is not that of the last sealed event"];
  }
  if (trusted >= count) return ["The seal was changed: the events match the exported head"];
  if (covered < count) {
    return [`The seal covers ${countEvents(count)}, but ${covered} are left: events were deleted or moved`];
  }
  if (covered > count) {
    return [`The seal covers ${countEvents(count)}, but ${covered} exist: events were inserted or moved here`];
  }
  return ["The events do not match the seal: an event was changed, replaced or moved"];
}

/** Checks that no event was deleted or inserted, by comparing the number of rows with the number of events written. */
function checkCount({ written, events }: ChainCheckInput): string[] {
  if (events === written) return [];
  if (events < written) {
    return [`The database counted ${countEvents(written)}, but ${events} are left: events were deleted or moved`];
  }
  return [`The database counted ${countEvents(written)}, but ${events} exist: events were inserted or moved here`];
}

/** Checks an exported head (hash) that covers more events than the seal (last stored hash) does. */
function checkLaterHead(
  { seal, events }: ChainCheckInput,
  head: ChainHead | undefined,
  matches: (head: ChainHead) => boolean,
): string[] {
  if (!head) return [];
  const sealed = `the seal covers ${seal?.count ?? 0} of the ${countEvents(head.count)} of an exported head`;
  if (matches(head)) return [`The seal was replaced by an older one: ${sealed}, and all of these events exist`];
  if (events < head.count) {
    return [`The log ends too early: ${sealed}, and only ${events} exist. ${OLDER_DUMP}, or events were deleted`];
  }
  return [
    `The log has a different end: ${sealed}, and later events do not match. ${OLDER_DUMP}, or events were rewritten`,
  ];
}

const OLDER_DUMP = "Either the database was restored from a dump older than the exported head";

/** Describes the mismatch of `head`, the first exported head that does not match the events that the seal covers. */
function checkEarlierHead(
  { seal }: ChainCheckInput,
  head: ChainHead | undefined,
  trusted: number,
  matches: (head: ChainHead) => boolean,
): string[] {
  if (!head || !seal) return [];
  if (head.count <= trusted) {
    return [`The exported hashes of ${head.count} and ${trusted} events contradict each other: one is of another log`];
  }
  const other = `The exported hash of the first ${head.count} events does not match the events`;
  if (!matches(seal)) return [other];
  return [`${other}, but the seal does: events and seal were rewritten, or the head is from another log`];
}

function countEvents(events: number): string {
  return formatCount(events, "event");
}
