/** The fields that an endpoint declares of its path, query or body, each with the schema that decides on its value. */
import type * as v from "valibot";

export interface Field {
  readonly name: string;
  readonly schema: v.GenericSchema;
  /** Whether the endpoint refuses to be called without it. */
  readonly required: boolean;
}

/** Of an object, also where steps are piped onto it, as a rule that looks at several fields at once is. */
export function fieldsOf(schema: v.GenericSchema | undefined): readonly Field[] {
  if (!schema) return [];
  const { entries } = schema as { readonly entries?: Readonly<Record<string, v.GenericSchema>> };
  if (!entries) throw new Error(`The fields of a schema of type ${schema.type} are not known here`);
  return Object.entries(entries).map(([name, field]) => ({ name, schema: field, required: !isOptional(field) }));
}

function isOptional(schema: v.GenericSchema): boolean {
  const { type, pipe } = schema as { readonly type: string; readonly pipe?: readonly v.GenericSchema[] };
  return type === "optional" || type === "nullish" ||
    (pipe !== undefined && pipe[0] !== schema && isOptional(pipe[0]!));
}
