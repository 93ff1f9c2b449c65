/**
 * Checks a chain (the audit events of one hub) against its seal, which is a hash stored after each batch of events, and
 * against heads, which are hashes that were exported earlier. Somebody who can rewrite the events can also rewrite the
 * seal, but not an exported head. If a head matches, all events up to it are unchanged.
 */
import type { ChainHead } from "#lib/audit/head.ts";

export interface ObservedChain {
  /** The chain's seal, if it has one. */
  readonly seal: ChainHead | undefined;
  /** Chain heads that were exported earlier. */
  readonly exported: readonly ChainHead[];
  /** The number of events that exist in the database. */
  readonly events: number;
  /** How many of these events the seal covers. */
  readonly covered: number;
  /** How many events the database counted as they were written. */
  readonly written: number;
  /** The recomputed hash after certain numbers of events, keyed by that number. */
  readonly hashes: ReadonlyMap<number, string>;
}

export interface ChainResult {
  /** Descriptions of what does not match. Empty if everything does. */
  readonly problems: readonly string[];
  /** The range of event numbers (exclusive, inclusive) that contains the first changed event; null if there is none. */
  readonly differs: { readonly after: number; readonly through: number } | null;
}

export function checkChain(facts: ObservedChain): ChainResult {
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

function checkSeal({ seal, exported, covered }: ObservedChain, trusted: number, matches: boolean): string[] {
  if (!seal) {
    return exported.length > 0 ? ["Its seal is gone: a head was exported, so there was one"] : [];
  }
  const { count } = seal;
  if (matches) {
    return covered === count ? [] : ["Its seal was changed: the position in it is not that of the last sealed event"];
  }
  if (trusted >= count) return ["Its seal was changed: the events are those of the exported head"];
  if (covered < count) {
    return [`Of ${countEvents(count)} that were sealed ${covered} are left: the rest was deleted or moved elsewhere`];
  }
  if (covered > count) {
    return [`There are ${countEvents(covered)} where ${count} were sealed: the rest was put in or moved there`];
  }
  return ["What is there is not what was sealed: an event was changed, exchanged or put in another place"];
}

/** Checks that no event was deleted or inserted, by comparing the number of rows with the number of events written. */
function checkCount({ written, events }: ObservedChain): string[] {
  if (events === written) return [];
  if (events < written) {
    return [`Of ${countEvents(written)} that were written ${events} are left: the rest was deleted or moved elsewhere`];
  }
  return [`There are ${countEvents(events)} where ${written} were written: the rest was put in or moved there`];
}

/** Checks an exported head that covers more events than the seal does. */
function checkLaterHead(
  { seal, events }: ObservedChain,
  head: ChainHead | undefined,
  matches: (head: ChainHead) => boolean,
): string[] {
  if (!head) return [];
  const sealed = `the seal counts ${seal?.count ?? 0} of the ${countEvents(head.count)} of an exported head`;
  if (matches(head)) return [`The seal was set back: ${sealed}, and all of them are there`];
  if (events < head.count) {
    return [`The log ends too early: ${sealed}, and only ${events} are there. ${OLDER_DUMP}, or its end was cut off`];
  }
  return [
    `The log has another end: ${sealed}, and those behind it are others. ${OLDER_DUMP}, or its end was rewritten`,
  ];
}

const OLDER_DUMP = "Either the database was restored from a dump older than the head";

/** Checks the first exported head that does not match, among those that the seal covers. */
function checkEarlierHead(
  { seal }: ObservedChain,
  head: ChainHead | undefined,
  trusted: number,
  matches: (head: ChainHead) => boolean,
): string[] {
  if (!head || !seal) return [];
  if (head.count <= trusted) {
    return [`The exported heads at ${head.count} and ${trusted} contradict each other: one is not of this log`];
  }
  const other = `The exported head at ${head.count} is not that of these events`;
  return [matches(seal) ? `${other}, though the seal fits: both were rewritten, or the head is of another log` : other];
}

function countEvents(events: number): string {
  return events === 1 ? "1 event" : `${events} events`;
}
