/** Two schemas that both hold, as one. */
import type { JsonSchema } from "#lib/docs/json-schema.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The type that is both, or null where nothing can be. */
export function meet(one: string, other: string): string | null {
  if (one === other || other === "any") return one;
  if (one === "any") return other;
  return isNumber(one) && isNumber(other) ? "integer" : null;
}

function isNumber(type: string): boolean {
  return type === "number" || type === "integer";
}

export function merge(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) merged[key] = key in one ? both(key, one[key], value) : value;
  return merged;
}

/** Whether it is one of them; lists and objects are what they hold. */
export function has(values: readonly unknown[], value: unknown): boolean {
  return values.some((one) => JSON.stringify(one) === JSON.stringify(value));
}

const SCHEMAS = new Set(["items", "additionalProperties", "propertyNames", "contains"]);

function both(key: string, one: unknown, other: unknown): unknown {
  if (key === "properties") return mergeFields(one as Fields, other as Fields);
  if (key === "required") return [...new Set([...one as string[], ...other as string[]])];
  if (key === "enum") return (one as unknown[]).filter((value) => has(other as unknown[], value));
  if (SCHEMAS.has(key)) return one === false || other === false ? false : { allOf: [one, other] };
  if (/^(?:max|exclusiveMax)/.test(key)) return Math.min(one as number, other as number);
  if (/^(?:min|exclusiveMin)/.test(key)) return Math.max(one as number, other as number);
  if (key === "uniqueItems") return one || other;
  // What is said of a value stands beside its schema or in it; of a rule that cannot be put together both are kept.
  if (key === "description" || JSON.stringify(one) === JSON.stringify(other)) return other;
  return { allOf: [one, other] };
}

function mergeFields(one: Fields, other: Fields): Fields {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, field] of Object.entries(other)) {
    merged[name] = Object.hasOwn(one, name) ? { allOf: [one[name], field] } : field;
  }
  return merged;
}
