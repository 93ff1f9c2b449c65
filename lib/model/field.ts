/** Types and functions to declare an API object's fields once, and to derive all schemas from the declarations. */
import * as v from "valibot";
import { optionalOrNull } from "#lib/base/schema.ts";

/** The names of the catalog's lists that can define which values a field accepts. */
export type CatalogList = "regions" | "tiers" | "modes" | "contentModes" | "brands" | "seeds" | "sizes" | "versions";

/** A value that requests contain under a name: its schema, and the words that explain it. */
export interface DescribedValue<S extends v.GenericSchema = v.GenericSchema> {
  /** The schema that validates the value in a request. */
  readonly schema: S;
  /** The heading in the portal and in the output of the command line. */
  readonly label: string;
  /** A phrase that explains the value in forms, in the API reference and in the help of the command line. */
  readonly hint: string;
  readonly example: string | boolean | null;
  /** The catalog's list of allowed values; null if the schema alone defines which values are allowed. */
  readonly catalogued: CatalogList | null;
}

export interface Field<S extends v.GenericSchema = v.GenericSchema> extends DescribedValue<S> {
  readonly nullable: boolean;
  /** Whether API responses contain the field. */
  readonly shown: boolean;
  /** Whether a request to create the object may contain the field; `required` if the request must contain it. */
  readonly settable: boolean | "required";
  readonly changeable: boolean;
  /**
   * Whether the field is also stored in the site record in the cluster, from which a lost database row is rebuilt. A
   * new field must be nullable, because records that earlier releases wrote do not contain it.
   */
  readonly kept: boolean;
}

/** The properties of a field declaration. Only `label`, `hint`, `example` and `kept` have no default. */
type Declared = Partial<Omit<Field, "schema">> & Pick<Field, "label" | "hint" | "example" | "kept">;

const SETTING = { nullable: false, shown: true, settable: true, changeable: false, catalogued: null } as const;
const SYSTEM = { ...SETTING, settable: false } as const;

type Described<S, D, T> = { readonly schema: S } & Omit<D, keyof T> & T;

/** Declares a field that users can set when they create the object. */
export function setting<S extends v.GenericSchema, const T extends Declared>(
  schema: S,
  traits: T,
): Described<S, typeof SETTING, T> {
  return { ...SETTING, schema, ...traits };
}

/** Declares a field that only Wheelwright itself sets. */
export function system<S extends v.GenericSchema, const T extends Declared>(
  schema: S,
  traits: T,
): Described<S, typeof SYSTEM, T> {
  return { ...SYSTEM, schema, ...traits };
}

export type Fields = Readonly<Record<string, Field>>;
type Trait = "shown" | "settable" | "changeable" | "catalogued" | "kept";

/** The names of the fields in which the property `T`, for example `shown`, is neither false nor null. */
export type FieldWith<F extends Fields, T extends Trait> =
  & keyof {
    [N in keyof F as F[N][T] extends false | null ? never : N]: N;
  }
  & string;

/** The type of an object with a value for each of the fields, as in a database row or an API response. */
export type ValuesOf<F extends Fields> = {
  [N in keyof F]: v.InferOutput<F[N]["schema"]> | (F[N]["nullable"] extends true ? null : never);
};

export function fieldsWith<F extends Fields, T extends Trait>(fields: F, trait: T): readonly FieldWith<F, T>[] {
  return Object.keys(fields).filter((name) => fields[name]![trait]) as FieldWith<F, T>[];
}

/** Returns an object with only the named fields. Ignores names that `values` does not contain. */
export function pickFields<T extends object, N extends keyof T>(values: T, names: readonly N[]): Pick<T, N> {
  return Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]])) as Pick<T, N>;
}

/** Returns a copy of `values` without the named fields. */
export function omitFields<T extends object, N extends keyof T>(values: T, names: readonly N[]): Omit<T, N> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name as N))) as Omit<T, N>;
}

type ViewEntries<F extends Fields> = { [N in FieldWith<F, "shown">]: v.GenericSchema<ValuesOf<F>[N]> };

/** Returns the schemas of the fields in an API response. These schemas do not validate stored strings again. */
export function viewEntries<F extends Fields>(fields: F): ViewEntries<F> {
  return mapFields(fields, "shown", ({ schema, nullable }) => nullable ? v.nullable(stored(schema)) : stored(schema));
}

type InputEntries<F extends Fields> = {
  [N in FieldWith<F, "settable">]: F[N]["settable"] extends "required" ? F[N]["schema"]
    : ReturnType<typeof optionalOrNull<F[N]["schema"]>>;
};

/** Returns the schemas of the fields in a request to create an object. An optional field may be null or absent. */
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

/** Returns the schemas of the fields in a request to change an object. Each field may be null or absent. */
export function changeEntries<F extends Fields>(fields: F): ChangeEntries<F> {
  return mapFields(fields, "changeable", ({ schema }) => optionalOrNull(schema));
}

type ParameterEntries<P extends Readonly<Record<string, DescribedValue>>> = {
  [N in keyof P]: ReturnType<typeof optionalOrNull<P[N]["schema"]>>;
};

/** Returns the schemas of parameters in a request. All are optional; null counts as absent. */
export function parameterEntries<P extends Readonly<Record<string, DescribedValue>>>(parameters: P) {
  const entries = Object.entries(parameters).map(([name, { schema }]) => [name, optionalOrNull(schema)]);
  return Object.fromEntries(entries) as ParameterEntries<P>;
}

type RecordEntries<F extends Fields> = {
  [N in FieldWith<F, "kept">]: v.GenericSchema<unknown, ValuesOf<F>[N]>;
};

/** Returns the schemas of the fields in a site record. A nullable field that is missing from it becomes null. */
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

/** Returns the values that the schema allows, if it has a fixed list of them; otherwise null. */
export function findChoices(schema: v.GenericSchema): readonly string[] | null {
  return (schema as { readonly options?: readonly string[] }).options ?? null;
}

/** Returns a schema for stored values. These need no format check, because requests were validated. */
function stored(schema: v.GenericSchema): v.GenericSchema {
  return schema.type === "string" ? v.string() : schema.type === "boolean" ? v.boolean() : schema;
}
