/**
 * The bounds that a schema only says in words: "must be text of 1 to 100 characters". The house's own checks are not seen
 * in JSON Schema, but what they ask for always begins with "must be".
 *
 * Only numbers are read, and only where the rest of the sentence is the same: any other wording is no change.
 */
import type { Tightened } from "#lib/docs/contract/rules.ts";
import type { JsonSchema } from "#lib/docs/json-schema.ts";

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** "1 to 100". */
  readonly words: string;
  /** The sentence without them. */
  readonly rest: string;
}

const RANGE = /(?<=\b(?:of|from|be) )(\d+)(?: to (\d+))?\b(?![.\d])|\bat most (\d+)\b|\bat least (\d+)\b/;

export function tightenedInWords(once: JsonSchema, then: JsonSchema): readonly Tightened[] {
  const before = boundsIn(once.description), after = boundsIn(then.description);
  if (!before || !after || before.rest !== after.rest) return [];
  if (after.least <= before.least && after.most >= before.most) return [];
  return [{ rule: `what it must be (${before.rest})`, once: before.words, then: after.words }];
}

function boundsIn(description: unknown): Bounds | null {
  const rule = typeof description === "string" ? /\bmust be .*/s.exec(description)?.[0] : undefined;
  const found = rule === undefined ? null : RANGE.exec(rule);
  if (rule === undefined || !found) return null;
  const [words, from, to, most, least] = found;
  return {
    least: Number(from ?? least ?? 0),
    most: Number(to ?? most ?? Infinity),
    words,
    rest: rule.replace(words, "…"),
  };
}
