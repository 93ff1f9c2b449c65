/**
 * Defines doctor's findings: one line per check, and a hint if there is a problem.
 * `failing` means that spokes cannot be installed or are not isolated. `warning` means a disadvantage or an unknown
 * result. A check without a result is never reported as `ok`.
 */
export type FindingLevel = "ok" | "warning" | "failing";

export interface Finding {
  /** The fixed name of the check. */
  readonly check: string;
  readonly level: FindingLevel;
  /** The result, as a sentence without a full stop. */
  readonly message: string;
  /** How to fix the problem, as a sentence. */
  readonly hint?: string | undefined;
}

export interface Section {
  readonly target: "configuration" | "database" | "surroundings" | "cluster";
  /** The name of the target; null if only one exists. */
  readonly name: string | null;
  /** The address of the target, for display. */
  readonly where: string | null;
  readonly findings: readonly Finding[];
}

export interface Summary {
  readonly ready: boolean;
  readonly problems: number;
  readonly warnings: number;
  readonly sentence: string;
}

/** A value, or the reason why it could not be read. */
export type ReadResult<T> = { readonly seen: T } | { readonly unseen: string; readonly hint?: string | undefined };

export function passing(check: string, message: string): Finding {
  return { check, level: "ok", message };
}

export function warning(check: string, message: string, hint?: string): Finding {
  return { check, level: "warning", message, hint };
}

export function failing(check: string, message: string, hint?: string): Finding {
  return { check, level: "failing", message, hint };
}

export function unknownFinding(
  check: string,
  { unseen, hint }: Extract<ReadResult<unknown>, { readonly unseen: string }>,
): Finding {
  return warning(check, `could not be checked: ${unseen}`, hint);
}

export function summarizeFindings(sections: readonly Section[]): Summary {
  const all = sections.flatMap(({ findings }) => findings);
  const problems = all.filter(({ level }) => level === "failing").length;
  const warnings = all.filter(({ level }) => level === "warning").length;
  const ready = problems === 0;
  const counted = ready ? countOf(warnings, "warning") : countOf(problems, "problem");
  const sentence = ready ? `Ready${warnings > 0 ? `, with ${counted}` : ""}` : `Not ready: ${counted}`;
  return { ready, problems, warnings, sentence };
}

/** Returns, for example, "1 problem" or "3 problems". */
export function countOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** Returns "a", "a and b", or "a, b and c". */
export function listWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
