/** Generates example values for JSON Schemas, from the schema's own example, the field glossary, or the type. */
import { findFieldExample } from "#lib/reference/glossary/glossary.ts";
import { getReferencedName, type JsonSchema, type NamedSchemas } from "#lib/reference/json-schema.ts";

const NOON = "2026-11-21T12:00:00.000Z";

/** Returns an example value for a schema. `owner` is the schema or field that contains the field called `name`. */
export function buildExample(schema: JsonSchema, named: NamedSchemas, owner = "", name = ""): unknown {
  const component = getReferencedName(schema);
  // Prefers the field's own example to one for its type. For instance, the field `operation` is usually null.
  const glossaryExample = findFieldExample(owner, name);
  if (glossaryExample !== undefined) return glossaryExample;
  if (component !== null) return buildExample(named[component] ?? {}, named, component);
  const { examples, anyOf, type, items, properties, enum: choices } = schema;
  if (examples && examples.length > 0) return examples[0];
  if ("const" in schema) return schema.const;
  if (choices) return choices[0];
  if (anyOf) return buildExample(anyOf.find((option) => option.type !== "null") ?? {}, named, owner, name);
  if (properties) return sampleFields(properties, named, name || owner);
  if (type === "array") return [buildExample(items ?? {}, named, owner, name)];
  return type === "object" ? {} : plain(schema);
}

function sampleFields(properties: NamedSchemas, named: NamedSchemas, owner: string): unknown {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, buildExample(field, named, owner, name)]),
  );
}

function plain({ type, format, default: usual }: JsonSchema): unknown {
  if (usual !== undefined) return usual;
  if (format === "date-time") return NOON;
  return type === "boolean" ? true : type === "number" || type === "integer" ? 1 : type === "string" ? "text" : null;
}
