/** The JSON Schema (2020-12) of a valibot schema, as OpenAPI 3.1 takes it. */
import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What may be sent: before transformations. */
export function inputSchema(schema: v.GenericSchema): JsonSchema {
  return convert(schema, "input");
}

/** What is answered: after transformations. */
export function outputSchema(schema: v.GenericSchema): JsonSchema {
  return convert(schema, "output");
}

function convert(schema: v.GenericSchema, typeMode: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = toJsonSchema(schema, {
    target: "draft-2020-12",
    typeMode,
    overrideSchema: ({ valibotSchema, jsonSchema, errors }) => {
      if (isStamp(valibotSchema)) return { type: "string", format: "date-time" };
      if (errors) throw new Error(`A schema of the API cannot be documented: ${errors.join("; ")}`);
      return describe(jsonSchema, valibotSchema);
    },
    // A transformation is not visible from outside; a check is, by the message that says what the value must be.
    overrideAction: ({ valibotAction, jsonSchema }) => describe(jsonSchema, valibotAction),
  });
  return rest;
}

/** A point in time: a Date in the program, text on the wire. */
function isStamp(schema: unknown): boolean {
  const { type, options = [] } = schema as { type: string; options?: readonly unknown[] };
  return type === "date" || type === "union" && options.some(isStamp);
}

type Overridden = ReturnType<NonNullable<ConversionConfig["overrideAction"]>> & object;

function describe(jsonSchema: Overridden, source: object): Overridden {
  const message = "message" in source && source.message;
  return typeof message === "string" ? { description: message, ...jsonSchema } : jsonSchema;
}
