/** Renders a schema's fields as a list with name, type and description. Fields of nested objects are indented. */
import { getReferencedName, type JsonSchema } from "#lib/reference/json-schema.ts";
import { type Markup, markup } from "#lib/http/page.ts";

/** Whether a schema is part of a request (`sent`), with required fields marked, or of a response (`answered`). */
type Direction = "sent" | "answered";

/** Renders the fields of a schema. Renders only the type if the schema has no fields. */
export function renderSchemaFields(schema: JsonSchema, way: Direction): Markup {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties);
  if (fields.length === 0) return markup`<p class="hint">${renderTypeName(schema)}</p>`;
  return markup`<dl class="fields">${
    fields.map(([name, field]) =>
      renderFieldRow({ name, schema: field, must: required.includes(name), says: field.description }, way)
    )
  }</dl>`;
}

interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly must: boolean;
  readonly says: string | undefined;
}

export function renderFieldRow({ name, schema, must, says }: Row, way: Direction): Markup {
  const { default: unless, anyOf = [] } = schema;
  const notes = [
    ...(anyOf.some(isNull) ? ["may be null"] : []),
    ...(must !== (way === "sent") ? [] : way === "sent" ? [markup`<strong>required</strong>`] : ["may be absent"]),
    ...(unless === undefined ? [] : [markup`default <code>${String(unless)}</code>`]),
  ];
  const within = innerObject(schema);
  return markup`<dt><code>${name}</code> <span>${renderTypeName(schema)}</span>${
    notes.map((note) => markup` <span>${note}</span>`)
  }</dt><dd>${(hasChoices(schema) ? says?.replace(CHOICES, "") : says) ?? ""}${
    within ? renderSchemaFields(within, way) : ""
  }</dd>`;
}

/** Matches the allowed values in a description, which are removed because they are also next to the field's name. */
const CHOICES = /(?:^|; )must be one of [^;]*$/;

function hasChoices(schema: JsonSchema): boolean {
  const { enum: choices, anyOf = [], items } = schema;
  return choices !== undefined || [...anyOf, ...items ? [items] : []].some(hasChoices);
}

function isNull(schema: JsonSchema): boolean {
  return schema.type === "null";
}

/** Returns a field's object schema, even if the field is a list of objects or can be null; otherwise null. */
function innerObject(schema: JsonSchema): JsonSchema | null {
  const { properties, items, anyOf } = schema;
  if (properties) return schema;
  const inner = [...items ? [items] : [], ...anyOf ?? []];
  return inner.map(innerObject).find((found) => found !== null) ?? null;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "true or false",
  object: "object",
  array: "list",
  null: "null",
};

/** Describes a value's type in words, with links to named schemas. */
export function renderTypeName(schema: JsonSchema): Markup {
  const name = getReferencedName(schema);
  if (name !== null) return markup`<a href="#schema-${name}">${name}</a>`;
  const { type, format, enum: choices, anyOf, items } = schema;
  if (choices) return joinMarkup(choices.map((choice) => markup`<code>${String(choice)}</code>`));
  if ("const" in schema) return markup`<code>${JSON.stringify(schema.const)}</code>`;
  if (anyOf) return joinMarkup(anyOf.filter((one) => !isNull(one)).map(renderTypeName));
  if (items) return markup`list of ${renderTypeName(items)}`;
  return markup`${format === "date-time" ? "time" : TYPE_NAMES[type ?? ""] ?? "anything"}`;
}

function joinMarkup(parts: readonly Markup[]): Markup {
  return markup`${parts.flatMap((part, i) => i === 0 ? [part] : [i === parts.length - 1 ? " or " : ", ", part])}`;
}
