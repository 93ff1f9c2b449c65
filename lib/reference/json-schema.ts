/** Converts valibot schemas to JSON Schema (2020-12) for OpenAPI 3.1. */
import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { fieldDescription } from "#lib/reference/glossary/glossary.ts";
import { INPUT_SCHEMAS, OUTPUT_SCHEMAS } from "#lib/reference/schemas.ts";

export type DocumentPart = Readonly<Record<string, unknown>>;

/** A JSON Schema, limited to the keywords that examples and pages use. */
export interface JsonSchema {
  readonly [word: string]: unknown;
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

type Mode = "input" | "output";

const SCHEMA_PATH = "#/components/schemas/";

/** Returns a schema for input, before transformations. Schemas with a name become references. */
export function inputSchema(schema: v.GenericSchema): JsonSchema {
  return nameOf(schema, "input") ?? convert(schema, "input");
}

/** Returns a schema for output, after transformations. Schemas with a name become references. */
export function outputSchema(schema: v.GenericSchema): JsonSchema {
  return nameOf(schema, "output") ?? convert(schema, "output");
}

/** Returns a schema for parameters, without descriptions from the glossary. */
export function inputFields(schema: v.GenericSchema): JsonSchema {
  return convert(schema, "input", null);
}

/** Returns the named schemas for `components.schemas` in the OpenAPI document. */
export function namedSchemas(): Readonly<Record<string, JsonSchema>> {
  const all = (named: Readonly<Record<string, v.GenericSchema>>, mode: Mode) =>
    Object.entries(named).map(([name, schema]) => [name, convert(schema, mode, name)] as const);
  return Object.fromEntries(
    [...all(OUTPUT_SCHEMAS, "output"), ...all(INPUT_SCHEMAS, "input")].sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/** Returns the name of the schema to which a reference points; null if `schema` is not a reference. */
export function referencedName(schema: JsonSchema): string | null {
  return schema.$ref?.startsWith(SCHEMA_PATH) ? schema.$ref.slice(SCHEMA_PATH.length) : null;
}

function nameOf(schema: unknown, mode: Mode): JsonSchema | null {
  const found = Object.entries(mode === "input" ? INPUT_SCHEMAS : OUTPUT_SCHEMAS).find(([, named]) => named === schema);
  return found ? { $ref: SCHEMA_PATH + found[0] } : null;
}

function convert(schema: v.GenericSchema, typeMode: Mode, owner: string | null = ""): JsonSchema {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode,
    overrideSchema: ({ valibotSchema, jsonSchema, errors }) => {
      if (valibotSchema as unknown !== schema) {
        const named = nameOf(valibotSchema, typeMode);
        if (named) return named as object as Overridden;
      }
      if (isTimestamp(valibotSchema)) return { type: "string", format: "date-time" };
      if (errors) throw new Error(`A schema of the API cannot be documented: ${errors.join("; ")}`);
      const closed = typeMode === "input" && valibotSchema.type === "object"; // unknown fields are refused
      return { ...describe(jsonSchema, valibotSchema), ...(closed && { additionalProperties: false }) };
    },
    // Describes a check by its error message. Ignores transformations, because clients do not see them.
    overrideAction: ({ valibotAction, jsonSchema }) => describe(jsonSchema, valibotAction),
  });
  const rest = converted as object as JsonSchema;
  return owner === null ? rest : addDescriptions(rest, owner);
}

/** Adds descriptions from the glossary to all fields. `owner` is the schema or field that contains them. */
function addDescriptions(schema: JsonSchema, owner: string): JsonSchema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map((
          [name, field],
        ) => [name, addDescription(addDescriptions(field, name), owner, name)]),
      ),
    }),
    ...(items && { items: addDescriptions(items, owner) }),
    ...(anyOf && { anyOf: anyOf.map((option) => addDescriptions(option, owner)) }),
  };
}

function addDescription(field: JsonSchema, owner: string, name: string): JsonSchema {
  const saying = fieldDescription(owner, name);
  if (!saying) return field;
  // Puts the meaning before the rule: "The short name in URLs; must be 1 to 63 lower-case letters …".
  const rule = validationRuleOf(field);
  return { ...field, description: rule ? `${saying}; ${rule}` : saying };
}

/** Returns the rule that a value must meet. If the value can be null, returns the rule for other values. */
export function validationRuleOf({ description, anyOf }: JsonSchema): string | null {
  return description ?? anyOf?.map(validationRuleOf).find((rule) => rule !== null) ?? null;
}

/** Returns whether the schema describes a time, which is a Date in the program and a string in JSON. */
function isTimestamp(schema: unknown): boolean {
  const { type, options = [] } = schema as { type: string; options?: readonly unknown[] };
  return type === "date" || type === "union" && options.some(isTimestamp);
}

type Overridden = ReturnType<NonNullable<ConversionConfig["overrideAction"]>> & object;

function describe(jsonSchema: Overridden, source: object): Overridden {
  const message = "message" in source && source.message;
  return typeof message === "string" ? { description: message, ...jsonSchema } : jsonSchema;
}
