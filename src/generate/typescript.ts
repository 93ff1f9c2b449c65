/** Converts the JSON schemas of the OpenAPI document to TypeScript types, formatted as by `deno fmt`. */
import { type JsonSchema, referredTo } from "#lib/reference/json-schema.ts";

const WIDTH = 120;

/** Whether a schema describes a request body. Only these forbid unknown fields. */
export function isInput(schema: JsonSchema): boolean {
  return (schema as { additionalProperties?: unknown }).additionalProperties === false;
}

/** Returns `export interface …` or `export type …` for a named schema. */
export function declarationOf(name: string, schema: JsonSchema): string {
  const input = isInput(schema);
  if (schema.properties) return `export interface ${name} ${objectOf(schema, { indent: "", input })}\n`;
  return `export type ${name} = ${
    writtenType(schema, { indent: "", input, taken: `export type ${name} = ;`.length })
  };\n`;
}

interface Place {
  readonly indent: string;
  /** Whether callers write the value. Optional fields then accept undefined, and lists are read-only. */
  readonly input: boolean;
  /** Characters on the type's line that are not part of the type. */
  readonly taken: number;
}

export function writtenType(schema: JsonSchema, place: Place): string {
  const options = unionOf(schema, place);
  const line = options.join(" | ");
  if (options.length === 1 || line.includes("\n") || place.taken + line.length <= WIDTH) return line;
  return options.map((option) => `\n${place.indent}  | ${option}`).join("");
}

function unionOf(schema: JsonSchema, place: Place): string[] {
  const { type, anyOf, items, properties, enum: choices } = schema, { const: only } = schema as { const?: unknown };
  const named = referredTo(schema);
  if (named) return [named];
  if (anyOf) return [...new Set(anyOf.flatMap((option) => unionOf(option, place)))];
  if (choices) return choices.map((choice) => JSON.stringify(choice));
  if (only !== undefined) return [JSON.stringify(only)];
  if (properties) return [objectOf(schema, place)];
  if (items) return [listOf(writtenType(items, { ...place, taken: 0 }), place.input)];
  if (type === "object") return [recordOf(schema, place)];
  if (type === "integer") return ["number"];
  return [type === "string" || type === "number" || type === "boolean" || type === "null" ? type : "unknown"];
}

function listOf(item: string, input: boolean): string {
  return `${input ? "readonly " : ""}${/^[\w.]+$/.test(item) || item.startsWith("{") ? item : `(${item})`}[]`;
}

function recordOf(schema: JsonSchema, place: Place): string {
  const { additionalProperties: value } = schema as { additionalProperties?: JsonSchema | boolean };
  const type = typeof value === "object" && Object.keys(value).length > 0
    ? writtenType(value, { ...place, taken: 0 })
    : "unknown";
  return `Record<string, ${type}>`;
}

function objectOf({ properties = {}, required = [] }: JsonSchema, place: Omit<Place, "taken">): string {
  const fields = Object.entries(properties).map(([name, schema]) =>
    fieldOf(name, schema, { required: required.includes(name), says: schema.description }, place)
  );
  return `{\n${fields.join("")}${place.indent}}`;
}

interface Said {
  readonly required: boolean;
  readonly says?: string | undefined;
}

/** Returns a field of an object, with its doc comment, on separate lines. */
export function fieldOf(
  name: string,
  schema: JsonSchema,
  { required, says }: Said,
  place: Omit<Place, "taken">,
): string {
  const indent = `${place.indent}  `, key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const head = `${indent}${key}${required ? "" : "?"}:`, open = !required && place.input ? " | undefined" : "";
  const type = writtenType(schema, { indent, input: place.input, taken: head.length + open.length + 2 });
  const rest = open && type.startsWith("\n") ? `\n${indent}  ${open.trim()}` : open;
  const saying = says && withoutChoices(says);
  return `${saying ? comment(saying, indent) : ""}${head}${type.startsWith("\n") ? "" : " "}${type}${rest};\n`;
}

/** Removes the end of a description that only repeats the type. */
function withoutChoices(saying: string): string {
  return saying.replace(/(?:^|; )must be (?:one of [\w, -]+|true or false|a whole number [\w ]+)$/, "");
}

/** Returns a doc comment. Changes the characters in the text that would end the comment early. */
export function comment(text: string, indent: string): string {
  const lines = text.replaceAll("*/", "* /").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join("")}${indent} */\n`;
}
