/** Builds form fields and definition lists from the declarations in lib/model. Pages can override labels and hints. */
import * as v from "valibot";
import { EmailAddress } from "#lib/base/schema.ts";
import type { Markup } from "#lib/http/page.ts";
import {
  type CatalogList,
  type DescribedValue,
  type Fields,
  fieldsWith,
  type FieldWith,
  findChoices,
} from "#lib/model/field.ts";
import type { CatalogOffer } from "#lib/portal/components/api-types.ts";
import { checkboxField, type FormContent } from "#lib/portal/components/forms.ts";
import { humanize } from "#lib/portal/components/parts.ts";

/** The texts that a page shows instead of the texts in a field's declaration in lib/model. */
export interface FieldTexts {
  readonly label?: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** The label of a select element's empty option, which sets no value. */
  readonly nothing?: string;
}

interface FieldState {
  readonly catalog: CatalogOffer;
  readonly value: string | boolean | null | undefined;
  readonly required?: boolean;
  readonly words?: FieldTexts | undefined;
}

/** Returns the form field for a field that lib/model declares: a checkbox, a select or a text field. */
export function buildModelField(
  name: string,
  { schema, catalogued, ...declared }: DescribedValue,
  { catalog, value, required = false, words = {} }: FieldState,
): FormContent {
  const { label = declared.label, hint = `${declared.hint}.`, placeholder, nothing } = words;
  if (schema.type === "boolean") return checkboxField(name, label, value === true, hint);
  const text = typeof value === "string" ? value : null, common = { name, label, hint, value: text };
  if (catalogued !== null && catalogued !== "sizes" && catalogued !== "versions") {
    return catalogField(catalog, catalogued, { ...common, ...(nothing !== undefined && { nothing }) });
  }
  const options = findChoices(schema);
  if (options) return { ...common, options: options.map((option) => [option, humanize(option)]) };
  const maxLength = maxLengthOf(schema);
  return {
    ...common,
    required,
    ...(schema === EmailAddress && { type: "email" as const }),
    ...(placeholder !== undefined && { placeholder }),
    ...(maxLength !== undefined && { maxLength }),
  };
}

interface CatalogFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** The current value of the field. Users can change this value, but not clear the field. */
  readonly value?: string | null;
  /** The label of the empty option, which selects no value. */
  readonly nothing?: string;
}

/** Returns a form field for one list in the catalog, or an empty string if that list has no values. */
function catalogField(
  catalog: CatalogOffer,
  listed: Exclude<CatalogList, "sizes" | "versions">,
  { name, label, hint = "", value = null, nothing = "None" }: CatalogFieldProps,
): FormContent {
  if (catalog.open.includes(listed)) return { name, label, hint, value, maxLength: 100 };
  const entries = catalog[listed];
  if (entries.length === 0 && value === null) return "";
  const options = entries.map((entry) => [entry.name, catalogEntryTitle(entry)] as const);
  const former = value !== null && !entries.some((entry) => entry.name === value);
  const first = value === null ? ["", nothing] as const : [value, `${value} (no longer offered)`] as const;
  return { name, label, hint, value, options: value === null || former ? [first, ...options] : options };
}

export function catalogEntryTitle({ name, title }: { readonly name: string; readonly title: string | null }): string {
  return title ?? humanize(name);
}

/** Sorts field names by their position in `order`. Names that are missing from `order` come last. */
export function sortFieldNames<N extends string>(names: readonly N[], order: readonly string[]): readonly N[] {
  const position = (name: N) => order.includes(name) ? order.indexOf(name) : order.length;
  return names.toSorted((a, b) => position(a) - position(b));
}

type Fact = readonly [term: string, details: Markup | string | readonly Markup[]];

/**
 * Returns the rows of a definition list. Each entry is a field's name or a finished row. `covered` names the fields
 * that the page shows elsewhere. All remaining fields follow at the end.
 */
export function createFieldRows<F extends Fields>(
  fields: F,
  values: { readonly [N in FieldWith<F, "shown">]: string | number | boolean | null },
  entries: readonly (FieldWith<F, "shown"> | Fact | null)[],
  covered: readonly FieldWith<F, "shown">[],
): readonly (Fact | null)[] {
  const rest = fieldsWith(fields, "shown").filter((name) => !entries.includes(name) && !covered.includes(name));
  return [...entries, ...rest].map((entry) =>
    typeof entry === "string" ? [fields[entry]!.label, factOf(values[entry])] : entry
  );
}

function factOf(value: string | number | boolean | null): string {
  return value === null ? "none" : value === true ? "yes" : value === false ? "no" : String(value);
}

function maxLengthOf(schema: v.GenericSchema): number | undefined {
  const steps =
    (schema as { readonly pipe?: readonly { readonly type: string; readonly requirement?: number }[] }).pipe;
  return (v.getMetadata(schema) as { readonly maxLength?: number }).maxLength ??
    steps?.find(({ type }) => type === "max_length")?.requirement;
}
