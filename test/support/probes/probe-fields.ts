/** Tests which hostile values the endpoints' field schemas accept and reject. */
import * as v from "valibot";
import type { ListedEndpoint } from "#test/support/probes/endpoints.ts";
import { type EndpointField, listFields } from "#test/support/probes/fields.ts";
import {
  HOSTILE_TEXTS,
  HOSTILE_VALUES,
  type HostileValue,
  VALUES_BY_RULE,
} from "#test/support/probes/hostile-values.ts";

export type ProbePart = "query" | "body";

/** A field, and a hostile value to send in this field. */
export interface FieldProbe {
  readonly at: ListedEndpoint;
  readonly part: ProbePart;
  readonly field: EndpointField;
  readonly hostile: HostileValue;
  readonly taken: boolean;
}

export function listProbes(at: ListedEndpoint, part: ProbePart): FieldProbe[] {
  return listFields(at.endpoint[part]).flatMap((field) =>
    valuesFor(field, part).map((hostile) => ({
      at,
      part,
      field,
      hostile,
      taken: v.safeParse(field.schema, hostile.value).success,
    }))
  );
}

/** Returns hostile values to send in a field. If the field is a list of texts, also returns lists with each value. */
function valuesFor({ schema }: EndpointField, part: ProbePart): readonly HostileValue[] {
  const own = part === "query" ? HOSTILE_TEXTS : HOSTILE_VALUES;
  if (!v.is(schema, ["a"])) return [...own, ...nearly(schema)];
  const within = own.map((one) => ({
    ...one,
    value: [one.value],
    json: `[${one.json}]`,
    name: `a list of ${one.name}`,
  }));
  return [...own, ...within];
}

/** Returns values that only just match the field's rule, such as the longest allowed text. */
function nearly(schema: v.GenericSchema): readonly HostileValue[] {
  return VALUES_BY_RULE.filter(({ says }) => says.test(ruleTextOf(schema)))
    .flatMap(({ good }) => good)
    .map((value) => ({ name: JSON.stringify(value), value, json: JSON.stringify(value), for: "anybody" }));
}

/** Returns the field's error message, which describes valid values. */
export function ruleTextOf(schema: v.GenericSchema): string {
  return v.safeParse(schema, Symbol("nothing")).issues?.[0]?.message ?? "";
}

/** Returns the values that the field must accept and reject according to its error message. */
export function acceptedValuesOf(
  schema: v.GenericSchema,
): { readonly bad: readonly string[]; readonly good: readonly string[] } {
  const saying = ruleTextOf(schema);
  const bounds = /^must be text of (\d+) to (\d+) characters/.exec(saying);
  if (bounds) {
    const [least, most] = bounds.slice(1).map(Number) as [number, number];
    const bad = ["🎓".repeat(most + 1), "e".repeat(most + 1), ...(least > 0 ? ["🎓".repeat(least - 1)] : [])];
    return { bad, good: ["🎓".repeat(most), "e\n\t".repeat(most).slice(0, most), "🎓".repeat(least)] };
  }
  const rules = VALUES_BY_RULE.filter(({ says }) => says.test(saying));
  return { bad: rules.flatMap(({ bad }) => bad), good: rules.flatMap(({ good }) => good) };
}

/** Builds a JSON body from JSON texts, because JSON.stringify cannot produce all of these values. */
export function bodyOf(fields: Readonly<Record<string, string>>): string {
  return `{${Object.entries(fields).map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

export function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/** Matches details about the program, its database or its libraries, which error messages must not reveal. */
const INTERNAL = new RegExp(
  [
    ...["\\.ts\\b", "node_modules", "file://", "kysely", "postgres(?!ql)", "valibot", "\\bat .*:\\d+:\\d+", "Error:"],
    ...["violates", "constraint", 'relation "', "syntax error", "TypeError", "RangeError", "undefined", "\\[object"],
    ...["Unexpected token", "JSON\\.parse", "is not a function", "null value", "Invalid (type|key|length)", "ECONN"],
  ].join("|"),
  "i",
);

/** Returns the problem with an error response's message; null if the message is clear and reveals no internals. */
export function findUnclearMessage(status: number, message: unknown): string | null {
  if (status < 400 || status >= 500) return `the status is ${status}`;
  if (typeof message !== "string" || message === "") return "it has no message";
  const match = INTERNAL.exec(message)?.[0];
  if (match) return `the message reveals "${match}"`;
  return message.length > 3000 ? "the message is too long" : null;
}

/** Runs `work` for all items, several of them in parallel. */
export async function inParallel<T>(list: readonly T[], work: (one: T) => Promise<void>, lanes = 8): Promise<void> {
  const queue = list.values();
  const lane = async () => {
    for (const one of queue) await work(one);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
