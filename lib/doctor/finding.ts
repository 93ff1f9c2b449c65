/**
 * Defines the results of `wheelwright doctor`. `failing` means that spokes cannot be installed or are not isolated from
 * each other. `warning` means that something works only in part, or that the result is unknown.
 */
import { formatCount } from "#lib/base/text.ts";
import type { RefusalCode } from "#lib/base/refusals.ts";

export type FindingLevel = "ok" | "warning" | "failing";

export interface Finding {
  /** The name of the check that produced this finding, for example `storage`. */
  readonly check: string;
  readonly level: FindingLevel;
  /** The result of the check as a sentence, without a full stop. */
  readonly message: string;
  /** Instructions for fixing the problem. */
  readonly hint?: string | undefined;
  /** The code of the refusal, if a change to the database was refused. */
  readonly code?: RefusalCode;
}

export interface FindingSection {
  readonly target: "configuration" | "database" | "surroundings" | "cluster";
  /** The cluster's name. Null if the target is not a cluster. */
  readonly name: string | null;
  /** The target's address, as shown to the user. Null if the target has no address. */
  readonly where: string | null;
  readonly findings: readonly Finding[];
}

export interface FindingSummary {
  readonly ready: boolean;
  readonly problems: number;
  readonly warnings: number;
  readonly sentence: string;
}

/** A value, or the reason why the value could not be read. */
export type ReadResult<T> = { readonly value: T } | { readonly error: string; readonly hint?: string | undefined };

export function createPass(check: string, message: string): Finding {
  return { check, level: "ok", message };
}

export function createWarning(check: string, message: string, hint?: string): Finding {
  return { check, level: "warning", message, hint };
}

export function createFailure(check: string, message: string, hint?: string): Finding {
  return { check, level: "failing", message, hint };
}

export function createUncheckedFinding(
  check: string,
  { error, hint }: Extract<ReadResult<unknown>, { readonly error: string }>,
): Finding {
  return createWarning(check, `could not be checked: ${error}`, hint);
}

export function summarizeFindings(sections: readonly FindingSection[]): FindingSummary {
  const all = sections.flatMap(({ findings }) => findings);
  const problems = all.filter(({ level }) => level === "failing").length;
  const warnings = all.filter(({ level }) => level === "warning").length;
  const ready = problems === 0;
  const countText = ready ? formatCount(warnings, "warning") : formatCount(problems, "problem");
  const sentence = ready ? `Ready${warnings > 0 ? `, with ${countText}` : ""}` : `Not ready: ${countText}`;
  return { ready, problems, warnings, sentence };
}
