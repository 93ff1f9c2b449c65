/** Declares the fields of spokes and other things. Whatever lists fields is derived from these declarations. */
import * as v from "valibot";
import { optionalOrNull } from "#lib/base/schema.ts";

/** The lists of the catalog that can offer the values of a field. */
export type CatalogList = "regions" | "tiers" | "modes" | "contentModes" | "brands" | "seeds" | "sizes" | "versions";

export interface Field<S extends v.GenericSchema = v.GenericSchema> {
  /** Accepts a value from a request. */
  readonly schema: S;
  readonly nullable: boolean;
  /** The heading in the portal and the command line. */
  readonly label: string;
  /** A phrase that explains the field, in forms, in the reference and in the command line's help. */
  readonly hint: string;
  readonly example: string | boolean | null;
  /** Whether responses contain the field. */
  readonly shown: boolean;
  /** Whether a request that creates the thing may contain the field, or must (`required`). */
  readonly settable: boolean | "required";
  readonly changeable: boolean;
  /** The list in the catalog that offers the values. Null if the schema alone decides. */
  readonly catalogued: CatalogList | null;
  /**
   * Whether the field survives the loss of the database, because the record in the cluster contains it. Records of
   * earlier releases lack new fields, so a field that is added must be nullable.
   */
  readonly kept: boolean;
}

export type Fields = Readonly<Record<string, Field>>;
type Trait = "shown" | "settable" | "changeable" | "catalogued" | "kept";

/** The names of the fields with a trait. */
export type FieldWith<F extends Fields, T extends Trait> =
  & keyof {
    [N in keyof F as F[N][T] extends false | null ? never : N]: N;
  }
  & string;

/** The values of the fields in a row or a response. */
export type ValuesOf<F extends Fields> = {
  [N in keyof F]: v.InferOutput<F[N]["schema"]> | (F[N]["nullable"] extends true ? null : never);
};

export function fieldsWith<F extends Fields, T extends Trait>(fields: F, trait: T): readonly FieldWith<F, T>[] {
  return Object.keys(fields).filter((name) => fields[name]![trait]) as FieldWith<F, T>[];
}

/** Returns the values of the named fields. Skips names that `values` lacks. */
export function pickFields<T extends object, N extends keyof T>(values: T, names: readonly N[]): Pick<T, N> {
  return Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]])) as Pick<T, N>;
}

/** Returns the values without the named fields. */
export function omitFields<T extends object, N extends keyof T>(values: T, names: readonly N[]): Omit<T, N> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name as N))) as Omit<T, N>;
}

type ViewEntries<F extends Fields> = { [N in FieldWith<F, "shown">]: v.GenericSchema<ValuesOf<F>[N]> };

/** Returns the schemas of the fields in a response. Stored texts are not checked again. */
export function viewEntries<F extends Fields>(fields: F): ViewEntries<F> {
  return mapFields(fields, "shown", ({ schema, nullable }) => nullable ? v.nullable(stored(schema)) : stored(schema));
}

type InputEntries<F extends Fields> = {
  [N in FieldWith<F, "settable">]: F[N]["settable"] extends "required" ? F[N]["schema"]
    : ReturnType<typeof optionalOrNull<F[N]["schema"]>>;
};

/** Returns the schemas of the fields in a request that creates the thing. Null counts as absent. */
export function inputEntries<F extends Fields>(fields: F): InputEntries<F> {
  return mapFields(
    fields,
    "settable",
    ({ schema, settable }) => settable === "required" ? schema : optionalOrNull(schema),
  );
}

type ChangeEntries<F extends Fields> = {
  [N in FieldWith<F, "changeable">]: ReturnType<typeof optionalOrNull<F[N]["schema"]>>;
};

/** Returns the schemas of the fields in a request that changes the thing. Null counts as absent. */
export function changeEntries<F extends Fields>(fields: F): ChangeEntries<F> {
  return mapFields(fields, "changeable", ({ schema }) => optionalOrNull(schema));
}

type RecordEntries<F extends Fields> = {
  [N in FieldWith<F, "kept">]: v.GenericSchema<unknown, ValuesOf<F>[N]>;
};

/** Returns the schemas of the fields in a record in the cluster. A nullable field that the record lacks is null. */
export function recordEntries<F extends Fields>(fields: F): RecordEntries<F> {
  return mapFields(
    fields,
    "kept",
    ({ schema, nullable }) => nullable ? v.optional(v.nullable(stored(schema)), null) : stored(schema),
  );
}

function mapFields<R>(fields: Fields, trait: Trait, map: (field: Field) => v.GenericSchema): R {
  return Object.fromEntries(fieldsWith(fields, trait).map((name) => [name, map(fields[name]!)])) as R;
}

/** Returns a schema for stored values, which were checked when they were requested. */
function stored(schema: v.GenericSchema): v.GenericSchema {
  return schema.type === "string" ? v.string() : schema.type === "boolean" ? v.boolean() : schema;
}
