/**
 * What the marks of a chain say about its events, in plain sentences. Pure.
 *
 * A mark is a count and the hash that the chain had there: the seal's own, which a person who can rewrite the events can
 * rewrite as well, and heads that were exported earlier. Where an exported head fits, everything up to its count is as
 * it was then; so what differs lies between the last that fits and the first that does not.
 */
import type { Head } from "#lib/audit/head.ts";

/** What was found in the rows. */
export interface Findings {
  /** The seal, if the chain has one. */
  readonly seal: Head | undefined;
  /** Heads that were exported earlier. */
  readonly exported: readonly Head[];
  /** Events that are there, and how many of them stand up to the seal's position. */
  readonly events: number;
  readonly covered: number;
  /** Events that the database counted as they were written, and how many of those exist. */
  readonly written: number;
  readonly left: number;
  /** The hashes that were recomputed, by their count. */
  readonly hashes: ReadonlyMap<number, string>;
}

export interface ChainVerdict {
  /** Empty when everything fits. */
  readonly problems: readonly string[];
  /** The first difference lies in an event after the one count and up to the other, if that can be told. */
  readonly differs: { readonly after: number; readonly through: number } | null;
}

export function judgeChain(findings: Findings): ChainVerdict {
  const { seal, hashes } = findings;
  const exported = [...findings.exported].sort((a, b) => a.count - b.count);
  const fits = ({ count, hash }: Head): boolean => hashes.get(count) === hash;
  const trusted = exported.findLast(fits)?.count ?? 0;
  const marks = [...exported, ...(seal ? [seal] : [])].sort((a, b) => a.count - b.count);
  const first = marks.find((mark) => mark.count > trusted && !fits(mark));
  const differs = first ? { after: trusted, through: first.count } : null;
  const problems = [
    ...judgeSeal(findings, trusted, seal !== undefined && fits(seal)),
    ...judgeCount(findings),
    ...judgeLater(findings, exported.findLast(({ count }) => count > (seal?.count ?? 0)), fits),
    ...judgeEarlier(findings, exported.find((head) => head.count <= (seal?.count ?? 0) && !fits(head)), trusted, fits),
  ];
  return { problems, differs };
}

function judgeSeal({ seal, exported, covered }: Findings, trusted: number, fits: boolean): string[] {
  if (!seal) {
    return exported.length > 0 ? ["Its seal is gone: a head was exported, so there was one"] : [];
  }
  const { count } = seal;
  if (fits) {
    return covered === count ? [] : ["Its seal was changed: the position in it is not that of the last sealed event"];
  }
  if (trusted >= count) return ["Its seal was changed: the events are those of the exported head"];
  if (covered < count) {
    return [`Of ${many(count)} that were sealed ${covered} are left: the rest was deleted or moved elsewhere`];
  }
  if (covered > count) {
    return [`There are ${many(covered)} where ${count} were sealed: the rest was put in or moved there`];
  }
  return ["What is there is not what was sealed: an event was changed, exchanged or put in another place"];
}

/** Compares the rows with the number of events that were written, sealed or not. */
function judgeCount({ written, left }: Findings): string[] {
  if (left === written) return [];
  if (left < written) {
    return [`Of ${many(written)} that were written ${left} are left: the rest was deleted or moved elsewhere`];
  }
  return [`There are ${many(left)} where ${written} were written: the rest was put in or moved there`];
}

/** About the exported head that counts more than the seal does. */
function judgeLater({ seal, events }: Findings, head: Head | undefined, fits: (head: Head) => boolean): string[] {
  if (!head) return [];
  const sealed = `the seal counts ${seal?.count ?? 0} of the ${many(head.count)} of an exported head`;
  if (fits(head)) return [`The seal was set back: ${sealed}, and all of them are there`];
  if (events < head.count) {
    return [`The log ends too early: ${sealed}, and only ${events} are there. ${OLDER}, or its end was cut off`];
  }
  return [`The log has another end: ${sealed}, and those behind it are others. ${OLDER}, or its end was rewritten`];
}

const OLDER = "Either the database was restored from a dump older than the head";

/** About the first exported head that the seal counts too, and that does not fit. */
function judgeEarlier(
  { seal }: Findings,
  head: Head | undefined,
  trusted: number,
  fits: (head: Head) => boolean,
): string[] {
  if (!head || !seal) return [];
  if (head.count <= trusted) {
    return [`The exported heads at ${head.count} and ${trusted} contradict each other: one is not of this log`];
  }
  const other = `The exported head at ${head.count} is not that of these events`;
  return [fits(seal) ? `${other}, though the seal fits: both were rewritten, or the head is of another log` : other];
}

function many(events: number): string {
  return events === 1 ? "1 event" : `${events} events`;
}
