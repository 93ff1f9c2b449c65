/** Converts the OpenAPI document's JSON schemas to TypeScript types, in the format that `deno fmt` produces. */
import { getReferencedName, type JsonSchema } from "#lib/reference/json-schema.ts";

const WIDTH = 120;

/** Whether a schema describes a request body. Only request bodies forbid unknown fields. */
export function isRequestBodySchema(schema: JsonSchema): boolean {
  return (schema as { additionalProperties?: unknown }).additionalProperties === false;
}

/** Returns `export interface …` or `export type …` for a schema with this name. */
export function renderDeclaration(name: string, schema: JsonSchema): string {
  const input = isRequestBodySchema(schema);
  if (schema.properties) return `export interface ${name} ${objectOf(schema, { indent: "", input })}\n`;
  return `export type ${name} = ${
    renderType(schema, { indent: "", input, usedColumns: `export type ${name} = ;`.length })
  };\n`;
}

interface TypePosition {
  readonly indent: string;
  /** Whether callers pass values of this type. If so, optional fields accept undefined, and lists are read-only. */
  readonly input: boolean;
  /** The number of characters on the same line before and after the type. */
  readonly usedColumns: number;
  /** Whether each option of a union has a line of its own, so that a long list of options must be wrapped. */
  readonly isWrapped?: boolean;
}

/** Returns the type. With `orUndefined`, the type includes undefined. */
export function renderType(schema: JsonSchema, place: TypePosition, orUndefined = false): string {
  const rest = orUndefined ? ["undefined"] : [], options = [...unionOf(schema, place), ...rest];
  const line = options.join(" | ");
  // The formatter keeps an object and one other option together.
  const isObject = options.some((option) => option.startsWith("{"));
  const fits = line.includes("\n") ? isObject && options.length <= 2 : place.usedColumns + line.length <= WIDTH;
  if (options.length === 1 || fits) return line;
  const indent = `${place.indent}  `;
  return [...unionOf(schema, { ...place, indent, isWrapped: true }), ...rest].map((option) => `\n${indent}| ${option}`)
    .join("");
}

function unionOf(schema: JsonSchema, place: TypePosition): string[] {
  const { type, anyOf, items, properties, enum: choices } = schema, { const: only } = schema as { const?: unknown };
  const named = getReferencedName(schema);
  if (named) return [named];
  if (anyOf) return [...new Set(anyOf.flatMap((option) => unionOf(option, place)))];
  if (choices) return choices.map((choice) => JSON.stringify(choice));
  if (only !== undefined) return [JSON.stringify(only)];
  if (properties) return [objectOf(schema, place)];
  if (items) return [listOf(items, place)];
  if (type === "object") return [recordOf(schema, place)];
  if (type === "integer") return ["number"];
  return [type === "string" || type === "number" || type === "boolean" || type === "null" ? type : "unknown"];
}

function listOf(items: JsonSchema, place: TypePosition): string {
  const head = place.input ? "readonly " : "";
  const usedColumns = place.isWrapped ? place.indent.length + `| ${head}()[]`.length : 0;
  const item = renderType(items, { ...place, usedColumns });
  if (item.startsWith("\n")) return `${head}(${item}\n${place.indent})[]`;
  return `${head}${/^[\w.]+$/.test(item) || item.startsWith("{") ? item : `(${item})`}[]`;
}

function recordOf(schema: JsonSchema, place: TypePosition): string {
  const { additionalProperties: value } = schema as { additionalProperties?: JsonSchema | boolean };
  const type = typeof value === "object" && Object.keys(value).length > 0
    ? renderType(value, { ...place, usedColumns: 0 })
    : "unknown";
  return `Record<string, ${type}>`;
}

function objectOf({ properties = {}, required = [] }: JsonSchema, place: Omit<TypePosition, "usedColumns">): string {
  const fields = Object.entries(properties).map(([name, schema]) =>
    renderField(name, schema, { required: required.includes(name), description: schema.description }, place)
  );
  return `{\n${fields.join("")}${place.indent}}`;
}

interface FieldOptions {
  readonly required: boolean;
  readonly description?: string | undefined;
}

/** Returns an object's field, with its doc comment on the lines above. */
export function renderField(
  name: string,
  schema: JsonSchema,
  { required, description: says }: FieldOptions,
  place: Omit<TypePosition, "usedColumns">,
): string {
  const indent = `${place.indent}  `, key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const head = `${indent}${key}${required ? "" : "?"}:`, orUndefined = !required && place.input;
  const type = renderType(schema, { indent, input: place.input, usedColumns: head.length + 2 }, orUndefined);
  const saying = says && removeChoices(says);
  return `${saying ? renderDocComment(saying, indent) : ""}${head}${type.startsWith("\n") ? "" : " "}${type};\n`;
}

/** Removes the end of a description if the end only repeats the type, for example "must be true or false". */
function removeChoices(saying: string): string {
  return saying.replace(/(?:^|; )must be (?:one of [\w, -]+|true or false|a whole number [\w ]+)$/, "");
}

/** Returns the text as a doc comment. Changes characters in the text that would end the comment too early. */
export function renderDocComment(text: string, indent: string): string {
  const lines = text.replaceAll("*/", "* /").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join("")}${indent} */\n`;
}
