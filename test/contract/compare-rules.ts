/** Compares the rules for values of one type: bounds, patterns, formats, and the words of the schema ("must be text of
 * 1 to 100 characters"). */

/** A rule that is stricter than before, with the texts to put after "was" and "is now". */
interface TightenedRule {
  readonly rule: string;
  readonly was: string;
  readonly is: string;
}

type Rules = Readonly<Record<string, unknown>>;

/** The rules of each type: upper bounds, lower bounds, and rules for which any change counts as stricter. */
const RULES_BY_TYPE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  string: [["maxLength"], ["minLength"], ["pattern", "format"]],
  array: [["maxItems"], ["minItems"], []],
  number: [["maximum"], ["minimum"], []],
  integer: [["maximum"], ["minimum"], []],
};

/** Returns the stricter rules for values of the type. The schema may have rules for other types too. */
export function findTightenedRules(type: string, before: Rules, after: Rules): readonly TightenedRule[] {
  const [upper = [], lower = [], same = []] = RULES_BY_TYPE[type] ?? [];
  const found = [
    ...upper.filter((rule) => number(after[rule], Infinity) < number(before[rule], Infinity)),
    ...lower.filter((rule) => number(after[rule], least(rule)) > number(before[rule], least(rule))),
    ...same.filter((rule) => after[rule] !== undefined && after[rule] !== before[rule]),
  ].map((rule) => ({ rule, was: String(before[rule] ?? "none"), is: String(after[rule] ?? "none") }));
  return found.length > 0 ? found : inWords(before.says, after.says);
}

function number(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** Returns the value without a lower bound. A length cannot be below 0. */
function least(rule: string): number {
  return rule === "minimum" ? -Infinity : 0;
}

const RANGE = /(?<=\b(?:of|from|be) )(\d+)(?: to (\d+))?\b(?![.\d])|\bat most (\d+)\b|\bat least (\d+)\b/;

/** Compares the numbers in the words of the rule if the rest of the sentence is the same. Other wording counts as no
 * change. */
function inWords(before: unknown, after: unknown): readonly TightenedRule[] {
  const was = boundsIn(before), is = boundsIn(after);
  if (!was || !is || was.rest !== is.rest || is.least <= was.least && is.most >= was.most) return [];
  return [{ rule: `what it must be (${was.rest})`, was: was.words, is: is.words }];
}

function boundsIn(says: unknown) {
  const found = typeof says === "string" ? RANGE.exec(says) : null;
  if (!found) return null;
  const [words, from, to, most, least] = found;
  const rest = found.input.replace(words, "…");
  return { least: Number(from ?? least ?? 0), most: Number(to ?? most ?? Infinity), words, rest };
}
