/**
 * Filters output through a schema, faster than valibot: simple checks handle objects, lists, text, numbers and times.
 * All other schemas, and values that fail a simple check, are left to valibot, so that the result never contains more
 * than the schema allows.
 */
import * as v from "valibot";
import { Timestamp } from "#lib/base/schema.ts";

/** A function that returns the filtered value, or NO_MATCH if the value fails the filter's simple check. */
export type OutputFilter = (value: unknown) => unknown;

export const FILTER_MISMATCH = Symbol("undecided");

const asText: OutputFilter = (value) => typeof value === "string" ? value : FILTER_MISMATCH;
const asNumber: OutputFilter = (value) => typeof value === "number" && !Number.isNaN(value) ? value : FILTER_MISMATCH;
const asBoolean: OutputFilter = (value) => typeof value === "boolean" ? value : FILTER_MISMATCH;

export function compileOutputFilter(schema: v.GenericSchema): OutputFilter {
  if (schema === Timestamp) return (value) => value instanceof Date ? value.toISOString() : asText(value);
  const plainSchema = schema as PlainSchema;
  if ("pipe" in plainSchema) return runSchema(schema);
  switch (plainSchema.type) {
    case "object":
      return filterObject(plainSchema.entries);
    case "array":
      return filterList(compileOutputFilter(plainSchema.item));
    case "nullable":
      return filterNullable(compileOutputFilter(plainSchema.wrapped));
    case "optional":
      return compileOutputFilter(plainSchema.wrapped);
    case "string":
      return asText;
    case "number":
      return asNumber;
    case "boolean":
      return asBoolean;
    case "picklist": {
      const options = new Set<unknown>(plainSchema.options);
      return (value) => options.has(value) ? value : FILTER_MISMATCH;
    }
    default:
      return runSchema(schema);
  }
}

type PlainSchema =
  | { readonly type: "object"; readonly entries: Readonly<Record<string, v.GenericSchema>> }
  | { readonly type: "array"; readonly item: v.GenericSchema }
  | { readonly type: "nullable" | "optional"; readonly wrapped: v.GenericSchema; readonly default: unknown }
  | { readonly type: "picklist"; readonly options: readonly unknown[] }
  | { readonly type: "string" | "number" | "boolean" | "any other" };

function runSchema(schema: v.GenericSchema): OutputFilter {
  return (value) => {
    const result = v.safeParse(schema, value);
    return result.success ? result.output : FILTER_MISMATCH;
  };
}

function filterObject(entries: Readonly<Record<string, v.GenericSchema>>): OutputFilter {
  const fields = Object.entries(entries).map(([name, schema]) => ({
    name,
    pick: compileOutputFilter(schema),
    maybe: isOptional(schema),
  }));
  return (value) => {
    if (typeof value !== "object" || value === null) return FILTER_MISMATCH;
    const output: Record<string, unknown> = {};
    for (const { name, pick: filter, maybe: optional } of fields) {
      const item = (value as Record<string, unknown>)[name];
      if (item === undefined && optional) continue;
      const filtered = item === undefined ? FILTER_MISMATCH : filter(item);
      if (filtered === FILTER_MISMATCH) return FILTER_MISMATCH;
      output[name] = filtered;
    }
    return output;
  };
}

/** Returns whether the field may be absent and has no default value. */
function isOptional(schema: v.GenericSchema): boolean {
  return schema.type === "optional" && (schema as v.GenericSchema & { default: unknown }).default === undefined;
}

function filterList(filter: OutputFilter): OutputFilter {
  return (value) => {
    if (!Array.isArray(value)) return FILTER_MISMATCH;
    const output = [];
    for (const item of value) {
      const filtered = filter(item);
      if (filtered === FILTER_MISMATCH) return FILTER_MISMATCH;
      output.push(filtered);
    }
    return output;
  };
}

function filterNullable(filter: OutputFilter): OutputFilter {
  return (value) => value === null ? null : filter(value);
}
