/**
 * Prepares the OpenAPI document for publication: gives query parameters the type of their parsed value, and removes
 * unused components. The contract test uses the unpublished document, which contains all texts and codes.
 */
import type { ProgramRelease } from "#lib/app.ts";
import type { ApiDocument, DocumentedParameter } from "#lib/reference/document.ts";
import type { JsonSchema } from "#lib/reference/json-schema.ts";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import type { Manifest } from "#lib/http/endpoint.ts";

export function buildPublishedOpenApi(manifest: Manifest, release: ProgramRelease): ApiDocument {
  const document = buildOpenApiDocument(manifest, release), { components } = document;
  const paths = mapValues(
    document.paths,
    (item) => mapValues(item, (endpoint) => ({ ...endpoint, parameters: endpoint.parameters.map(typedParameter) })),
  );
  // Only paths and schemas contain references to components.
  const text = JSON.stringify([paths, components.schemas]);
  const used = <T>(kind: string, named: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(named).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
  const { securitySchemes, schemas, headers, examples } = components;
  return {
    ...document,
    paths,
    components: { securitySchemes, schemas, headers: used("headers", headers), examples: used("examples", examples) },
  };
}

function typedParameter(parameter: DocumentedParameter): DocumentedParameter {
  const { in: place, schema, example } = parameter, type = place === "query" ? findQueryParameterType(schema) : null;
  if (type === null) return parameter;
  const { type: _, enum: choices, pattern: __, maxLength: ___, default: usual, ...own } = schema;
  const only = type === "boolean" && choices?.length === 1 ? { const: choices[0] === "true" } : {};
  return {
    ...parameter,
    schema: { ...own, type, ...only, ...(usual !== undefined && { default: valueOf(type, usual) }) },
    ...(example !== undefined && { example: valueOf(type, example) }),
  };
}

/** Returns the type to which the server converts a query parameter; null if the parameter remains text. */
export function findQueryParameterType({ enum: choices, pattern }: JsonSchema): "boolean" | "integer" | null {
  if (choices?.includes("false")) return "boolean";
  return /^\^(?:\\d\{\d+,\d+\}\$$|0\*)/.test(String(pattern ?? "")) ? "integer" : null;
}

function valueOf(type: "boolean" | "integer", text: unknown): unknown {
  return type === "boolean" ? text === "true" : Number(text);
}

function mapValues<T, U>(given: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value)]));
}
