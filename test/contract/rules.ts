/**
 * Whether a value of the same type has to keep to more than before: bounds, patterns, formats, and what the schema says
 * of it in words ("must be text of 1 to 100 characters").
 */

/** Each rule that lets less through than it did, in words that stand after "was" and "is now". */
export interface Tightened {
  readonly rule: string;
  readonly was: string;
  readonly is: string;
}

type Rules = Readonly<Record<string, unknown>>;

const UPPER = ["maxLength", "maxItems", "maxProperties"];
const LOWER = ["minLength", "minItems", "minProperties"];
const SAME = ["pattern", "format", "uniqueItems"];
/** The type of which alone a rule says something. */
const TYPES = [
  ["string", /Length$|^pattern$|^format$/],
  ["array", /Items$/],
  ["object", /Properties$/],
  ["number", /imum$|^multipleOf$/],
] as const;

/** Of values of the type; the rules may be those of others, too. */
export function tightened(type: string, ...rules: readonly [Rules, Rules]): readonly Tightened[] {
  const others = TYPES.filter(([one]) => one !== type.replace("integer", "number") && type !== "any");
  const [before, after] = rules.map((all) =>
    Object.fromEntries(Object.entries(all).filter(([rule]) => !others.some(([, pattern]) => pattern.test(rule))))
  ) as [Rules, Rules];
  const found = [
    ...UPPER.filter((rule) => number(after[rule], Infinity) < number(before[rule], Infinity)),
    ...LOWER.filter((rule) => number(after[rule], 0) > number(before[rule], 0)),
    ...SAME.filter((rule) => after[rule] && after[rule] !== before[rule]),
    ...isMultiple(before.multipleOf, after.multipleOf) ? [] : ["multipleOf"],
  ].map((rule) => ({ rule, was: String(before[rule] ?? "none"), is: String(after[rule] ?? "none") }));
  const bounds = [...found, ...range(before, after)];
  return bounds.length > 0 ? bounds : inWords(before.says, after.says);
}

function number(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function isMultiple(before: unknown, after: unknown): boolean {
  return typeof after !== "number" || typeof before === "number" && Number.isInteger(before / after);
}

function range(before: Rules, after: Rules): readonly Tightened[] {
  const top = most(before), newTop = most(after), bottom = least(before), newBottom = least(after);
  const lower = newTop[0] < top[0] || newTop[0] === top[0] && newTop[1] && !top[1];
  const higher = newBottom[0] > bottom[0] || newBottom[0] === bottom[0] && newBottom[1] && !bottom[1];
  return [
    ...(lower ? [{ rule: "maximum", was: edge("below", top), is: edge("below", newTop) }] : []),
    ...(higher ? [{ rule: "minimum", was: edge("above", bottom), is: edge("above", newBottom) }] : []),
  ];
}

/** A number up to which all is let through, and whether it is not itself. */
type Edge = readonly [at: number, open: boolean];

function most({ maximum, exclusiveMaximum }: Rules): Edge {
  const closed = number(maximum, Infinity), open = number(exclusiveMaximum, Infinity);
  return open <= closed && open < Infinity ? [open, true] : [closed, false];
}

function least({ minimum, exclusiveMinimum }: Rules): Edge {
  const closed = number(minimum, -Infinity), open = number(exclusiveMinimum, -Infinity);
  return open >= closed && open > -Infinity ? [open, true] : [closed, false];
}

function edge(side: string, [at, open]: Edge): string {
  return Number.isFinite(at) ? open ? `${side} ${at}` : String(at) : "none";
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
  const rest = (says as string).replace(words, "…");
  return { least: Number(from ?? least ?? 0), most: Number(to ?? most ?? Infinity), words, rest };
}
