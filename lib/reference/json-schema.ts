/** Converts valibot schemas to JSON Schema (2020-12) for OpenAPI 3.1. */
import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { findFieldDescription } from "#lib/reference/glossary/glossary.ts";
import { INPUT_SCHEMAS, OUTPUT_SCHEMAS } from "#lib/reference/schemas.ts";

/** A JSON Schema with the keywords that the API reference and its examples use. */
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

export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

type Mode = "input" | "output";

const SCHEMA_PATH = "#/components/schemas/";

/** Returns the JSON Schema of request data, before valibot transforms the data. A named schema becomes a `$ref`. */
export function toInputJsonSchema(schema: v.GenericSchema): JsonSchema {
  return nameOf(schema, "input") ?? convert(schema, "input");
}

/** Returns the JSON Schema of response data, after valibot transforms the data. A named schema becomes a `$ref`. */
export function toOutputJsonSchema(schema: v.GenericSchema): JsonSchema {
  return nameOf(schema, "output") ?? convert(schema, "output");
}

/** Returns the JSON Schema of path or query parameters, without descriptions from the field glossary. */
export function toParameterJsonSchema(schema: v.GenericSchema): JsonSchema {
  return convert(schema, "input", null);
}

/** Returns the named schemas for `components.schemas` in the OpenAPI document. */
export function buildNamedSchemas(): NamedSchemas {
  const all = (named: Readonly<Record<string, v.GenericSchema>>, mode: Mode) =>
    Object.entries(named).map(([name, schema]) => [name, convert(schema, mode, name)] as const);
  return Object.fromEntries(
    [...all(OUTPUT_SCHEMAS, "output"), ...all(INPUT_SCHEMAS, "input")].sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/** Returns the name of the schema to which a reference points; null if `schema` is not a reference. */
export function getReferencedName(schema: JsonSchema): string | null {
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
      if (errors) throw new Error(`Cannot convert a schema of the API to JSON Schema: ${errors.join("; ")}`);
      const closed = typeMode === "input" && valibotSchema.type === "object"; // unknown fields are refused
      return { ...describe(jsonSchema, valibotSchema), ...(closed && { additionalProperties: false }) };
    },
    // Describes each check with its error message. Ignores transformations, which clients do not see.
    overrideAction: ({ valibotAction, jsonSchema }) => describe(jsonSchema, valibotAction),
  });
  const rest = converted as object as JsonSchema;
  return owner === null ? rest : addDescriptions(rest, owner);
}

/** Adds descriptions from the glossary to all fields of a schema. `owner` is the name of the schema or parent field. */
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

/** Matches rules that only repeat the type, the properties or the choices of a field. */
const REPEATS_SCHEMA = /^must (?:be true or false$|have at least one of |be names among )/;

function addDescription(field: JsonSchema, owner: string, name: string): JsonSchema {
  const saying = findFieldDescription(owner, name);
  if (!saying) return field;
  // Puts the field's meaning before its validation rule: "The short name …; must be 1 to 63 lower-case letters …".
  const rule = findValidationRule(field);
  return { ...field, description: rule && !REPEATS_SCHEMA.test(rule) ? `${saying}; ${rule}` : saying };
}

/** Returns a field's validation rule, such as "must be an https URL"; null if the field has no rule. */
export function findValidationRule({ description, anyOf }: JsonSchema): string | null {
  return description ?? anyOf?.map(findValidationRule).find((rule) => rule !== null) ?? null;
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
