/**
 * Whether a value of the same type has to keep to more than before: bounds, patterns, formats, and what the schema says
 * of it in words.
 */
import type { JsonSchema } from "#lib/docs/json-schema.ts";

/** Each rule that lets less through in `then` than in `once`, in words that stand after "was" and "is now". */
export interface Tightened {
  readonly rule: string;
  readonly once: string;
  readonly then: string;
}

const UPPER = ["maxLength", "maxItems", "maxProperties"];
const LOWER = ["minLength", "minItems", "minProperties"];
const SAME = ["pattern", "format", "contentEncoding", "contentMediaType"];
/** What is compared elsewhere, or is no rule. */
const NOT_HERE = new Set([
  ...["type", "const", "enum", "properties", "required", "items", "prefixItems", "additionalProperties"],
  ...["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "uniqueItems", "multipleOf"],
  ...[...UPPER, ...LOWER, ...SAME],
  ...["title", "description", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["externalDocs", "discriminator", "xml", "$schema", "$id", "$anchor", "$comment", "$defs"],
]);

export function tightened(once: JsonSchema, then: JsonSchema): readonly Tightened[] {
  const found = [
    ...UPPER.filter((key) => number(then[key], Infinity) < number(once[key], Infinity)),
    ...LOWER.filter((key) => number(then[key], 0) > number(once[key], 0)),
    ...SAME.filter((key) => then[key] !== undefined && !same(then[key], once[key])),
    ...then.uniqueItems === true && once.uniqueItems !== true ? ["uniqueItems"] : [],
    ...isMultiple(once.multipleOf, then.multipleOf) ? [] : ["multipleOf"],
    // What a rule that is not known here lets through cannot be told: another one counts as tighter.
    ...Object.keys(then).filter((key) => !NOT_HERE.has(key) && !key.startsWith("x-") && !same(then[key], once[key])),
  ].map((rule): Tightened => ({ rule, once: show(once[rule]), then: show(then[rule]) }));
  return [...found, ...range(once, then)];
}

function number(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isMultiple(once: unknown, then: unknown): boolean {
  return typeof then !== "number" || typeof once === "number" && Number.isInteger(once / then);
}

function show(value: unknown): string {
  return value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
}

function range(once: JsonSchema, then: JsonSchema): readonly Tightened[] {
  const top = most(once), newTop = most(then), bottom = least(once), newBottom = least(then);
  const lower = newTop[0] < top[0] || newTop[0] === top[0] && newTop[1] && !top[1];
  const higher = newBottom[0] > bottom[0] || newBottom[0] === bottom[0] && newBottom[1] && !bottom[1];
  return [
    ...(lower ? [{ rule: "maximum", once: edge("below", top), then: edge("below", newTop) }] : []),
    ...(higher ? [{ rule: "minimum", once: edge("above", bottom), then: edge("above", newBottom) }] : []),
  ];
}

/** A number up to which all is let through, and whether it is not itself. */
type Edge = readonly [at: number, open: boolean];

function most({ maximum, exclusiveMaximum }: JsonSchema): Edge {
  const closed = number(maximum, Infinity), open = number(exclusiveMaximum, Infinity);
  return open <= closed && open < Infinity ? [open, true] : [closed, false];
}

function least({ minimum, exclusiveMinimum }: JsonSchema): Edge {
  const closed = number(minimum, -Infinity), open = number(exclusiveMinimum, -Infinity);
  return open >= closed && open > -Infinity ? [open, true] : [closed, false];
}

function edge(side: string, [at, open]: Edge): string {
  return Number.isFinite(at) ? open ? `${side} ${at}` : String(at) : "none";
}
