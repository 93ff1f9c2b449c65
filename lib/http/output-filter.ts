/**
 * Filters output through a schema, faster than valibot. For each schema, generates a function whose simple checks handle
 * objects, lists, text, numbers and times. The function creates each object with all its fields, because V8 copies
 * objects slowly if they get many fields one by one. All other schemas, and values that fail a simple check, are left to
 * valibot, so that the result never contains more than the schema allows.
 */
import * as v from "valibot";
import { Timestamp } from "#lib/base/schema.ts";

/** A function that returns the filtered value, or FILTER_MISMATCH if the value fails the filter's simple check. */
export type OutputFilter = (value: unknown) => unknown;

export const FILTER_MISMATCH = Symbol("undecided");

export function compileOutputFilter(schema: v.GenericSchema): OutputFilter {
  const generator = new FilterGenerator(), result = generator.filter(schema, "value");
  const code = `const { ${generator.constants.map((_, i) => `c${i}`).join(", ")} } = constants;
    return (value) => { ${generator.lines.join("\n")}\nreturn ${result}; };`;
  const constants = Object.fromEntries(generator.constants.map((each, i) => [`c${i}`, each]));
  return new Function("constants", code)(constants);
}

type PlainSchema =
  | { readonly type: "object"; readonly entries: Readonly<Record<string, v.GenericSchema>> }
  | { readonly type: "array"; readonly item: v.GenericSchema }
  | { readonly type: "record"; readonly key: v.GenericSchema; readonly value: v.GenericSchema }
  | { readonly type: "nullable" | "optional"; readonly wrapped: v.GenericSchema; readonly default: unknown }
  | { readonly type: "picklist"; readonly options: readonly unknown[] }
  | { readonly type: "string" | "number" | "boolean" | "any other" };

/** Generates the lines of a filter. They return FILTER_MISMATCH, the constant `c0`, if a check fails. */
class FilterGenerator {
  readonly lines: string[] = [];
  /** Values that the lines use by the names `c0`, `c1` and so on. */
  readonly constants: unknown[] = [FILTER_MISMATCH];
  #variables = 0;

  /** Adds lines that check the value of the expression. Returns an expression for the filtered value. */
  filter(schema: v.GenericSchema, value: string): string {
    const plainSchema = schema as PlainSchema;
    if (schema === Timestamp) {
      const time = this.#variable(`${value} instanceof Date ? ${value}.toISOString() : ${value}`);
      return this.#require(`typeof ${time} === "string"`, time);
    }
    if ("pipe" in plainSchema) return this.#call(runSchema(schema), value);
    switch (plainSchema.type) {
      case "object":
        return this.#object(plainSchema.entries, value);
      case "array":
        return this.#list(plainSchema.item, value);
      case "nullable":
        return this.#unless("null", plainSchema.wrapped, value);
      case "optional":
        return this.filter(plainSchema.wrapped, value);
      case "string":
      case "boolean":
        return this.#require(`typeof ${value} === "${plainSchema.type}"`, value);
      case "number":
        return this.#require(`typeof ${value} === "number" && !Number.isNaN(${value})`, value);
      case "picklist":
        return this.#require(`${this.#constant(new Set(plainSchema.options))}.has(${value})`, value);
      case "record": {
        const isAnyObject = plainSchema.key.type === "string" && plainSchema.value.type === "unknown";
        return this.#call(isAnyObject ? filterAnyObject : runSchema(schema), value);
      }
      default:
        return this.#call(runSchema(schema), value);
    }
  }

  #object(entries: Readonly<Record<string, v.GenericSchema>>, value: string): string {
    this.#require(`typeof ${value} === "object" && ${value} !== null`, value);
    const fields = Object.entries(entries).map(([name, schema]) => {
      const item = this.#variable(`${value}[${JSON.stringify(name)}]`), optional = isOptional(schema);
      if (!optional) this.#require(`${item} !== undefined`, item);
      const filtered = optional ? this.#unless("undefined", schema, item) : this.filter(schema, item);
      return { name: JSON.stringify(name), filtered, optional };
    });
    // Adds fields from the first optional one on later, so that the order of the fields stays the same.
    const first = fields.findIndex(({ optional }) => optional), fixed = first < 0 ? fields : fields.slice(0, first);
    const output = this.#variable(`{ ${fixed.map(({ name, filtered }) => `${name}: ${filtered}`).join(", ")} }`);
    for (const { name, filtered } of fields.slice(fixed.length)) {
      this.lines.push(`if (${filtered} !== undefined) ${output}[${name}] = ${filtered};`);
    }
    return output;
  }

  #list(schema: v.GenericSchema, value: string): string {
    this.#require(`Array.isArray(${value})`, value);
    const output = this.#variable("[]"), item = `${output}item`;
    this.lines.push(`for (const ${item} of ${value}) {`);
    this.lines.push(`${output}.push(${this.filter(schema, item)}); }`);
    return output;
  }

  /** Filters the value unless it is the given constant, which is allowed. */
  #unless(allowed: "null" | "undefined", schema: v.GenericSchema, value: string): string {
    const output = this.#variable(value);
    this.lines.push(`if (${output} !== ${allowed}) {`);
    this.lines.push(`${output} = ${this.filter(schema, output)}; }`);
    return output;
  }

  #call(filter: OutputFilter, value: string): string {
    const output = this.#variable(`${this.#constant(filter)}(${value})`);
    return this.#require(`${output} !== c0`, output);
  }

  #require(condition: string, value: string): string {
    this.lines.push(`if (!(${condition})) return c0;`);
    return value;
  }

  #constant(value: unknown): string {
    return `c${this.constants.push(value) - 1}`;
  }

  #variable(value: string): string {
    const name = `v${this.#variables++}`;
    this.lines.push(`let ${name} = ${value};`);
    return name;
  }
}

function runSchema(schema: v.GenericSchema): OutputFilter {
  return (value) => {
    const result = v.safeParse(schema, value);
    return result.success ? result.output : FILTER_MISMATCH;
  };
}

/** Filters an object that may have any fields. Leaves objects with names that valibot removes to valibot. */
function filterAnyObject(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return FILTER_MISMATCH;
  return ["__proto__", "prototype", "constructor"].some((name) => Object.hasOwn(value, name)) ? FILTER_MISMATCH : value;
}

/** Returns whether the field may be absent and has no default value. */
function isOptional(schema: v.GenericSchema): boolean {
  return schema.type === "optional" && (schema as v.GenericSchema & { default: unknown }).default === undefined;
}
