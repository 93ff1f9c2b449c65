/** Lists the fields in an endpoint's path, query or body, each with its schema. */
import type * as v from "valibot";

export interface EndpointField {
  readonly name: string;
  readonly schema: v.GenericSchema;
  /** Whether a request must contain the field. */
  readonly required: boolean;
}

/** Returns the fields in an object schema, also if the schema is in a pipe with rules about several fields. */
export function listFields(schema: v.GenericSchema | undefined): readonly EndpointField[] {
  if (!schema) return [];
  const { entries } = schema as { readonly entries?: Readonly<Record<string, v.GenericSchema>> };
  if (!entries) throw new Error(`This test cannot list the fields of a schema with the type ${schema.type}`);
  return Object.entries(entries).map(([name, field]) => ({ name, schema: field, required: !isOptional(field) }));
}

function isOptional(schema: v.GenericSchema): boolean {
  const { type, pipe } = schema as { readonly type: string; readonly pipe?: readonly v.GenericSchema[] };
  return type === "optional" || type === "nullish" ||
    (pipe !== undefined && pipe[0] !== schema && isOptional(pipe[0]!));
}
