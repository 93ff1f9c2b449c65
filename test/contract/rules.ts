/**
 * Whether a value of the same type has to keep to more than before: bounds, patterns, formats, and what the schema says
 * of it in words ("must be text of 1 to 100 characters").
 */

/** Each rule that lets less through than it did, in words that stand after "was" and "is now". */
interface Tightened {
  readonly rule: string;
  readonly was: string;
  readonly is: string;
}

type Rules = Readonly<Record<string, unknown>>;

/** The rules of each type: upper bounds, lower bounds, and those of which another one counts as tighter. */
const OF: Readonly<Record<string, readonly (readonly string[])[]>> = {
  string: [["maxLength"], ["minLength"], ["pattern", "format"]],
  array: [["maxItems"], ["minItems"], []],
  number: [["maximum"], ["minimum"], []],
  integer: [["maximum"], ["minimum"], []],
};

/** Of values of the type; the rules may be those of others, too. */
export function tightened(type: string, before: Rules, after: Rules): readonly Tightened[] {
  const [upper = [], lower = [], same = []] = OF[type] ?? [];
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

/** Nothing is shorter than nothing. */
function least(rule: string): number {
  return rule === "minimum" ? -Infinity : 0;
}

const RANGE = /(?<=\b(?:of|from|be) )(\d+)(?: to (\d+))?\b(?![.\d])|\bat most (\d+)\b|\bat least (\d+)\b/;

/** Only numbers are read, and only where the rest of the sentence is the same: any other wording is no change. */
function inWords(before: unknown, after: unknown): readonly Tightened[] {
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
