/**
 * Prepares the OpenAPI document for publication: gives query parameters the type of their parsed value, and removes
 * unused components. The contract test uses the unpublished document, which contains all texts and codes.
 */
import type { ProgramRelease } from "#lib/app.ts";
import type { JsonSchema } from "#lib/reference/json-schema.ts";
import { buildOpenApiDocument, type OpenApi } from "#lib/reference/openapi.ts";
import type { Manifest } from "#lib/http/endpoint.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

type Named<T> = Readonly<Record<string, T>>;

interface CompleteApi extends OpenApi {
  readonly paths: Named<Named<{ readonly parameters: readonly Parameter[] }>>;
  readonly components: Named<Named<unknown>>;
}

export function buildPublishedOpenApi(manifest: Manifest, release: ProgramRelease): OpenApi {
  const { paths, components, ...rest } = buildOpenApiDocument(manifest, release) as CompleteApi;
  const typed = mapValues(
    paths,
    (item) => mapValues(item, (operation) => ({ ...operation, parameters: operation.parameters.map(typedParameter) })),
  );
  return { ...rest, paths: typed, components: withoutUnused(typed, components) };
}

/** Removes unused components from the OpenAPI document. Only paths and schemas contain references to components. */
function withoutUnused(paths: unknown, { schemas, headers, examples, ...others }: CompleteApi["components"]) {
  const text = JSON.stringify([paths, schemas]);
  const used = (kind: string, components: Named<unknown> = {}) =>
    Object.fromEntries(
      Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    );
  return { ...others, schemas, headers: used("headers", headers), examples: used("examples", examples) };
}

function typedParameter(parameter: Parameter): Parameter {
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
  return /^\^(?:\\d|0\*)/.test(String(pattern ?? "")) ? "integer" : null;
}

function valueOf(type: "boolean" | "integer", text: unknown): unknown {
  return type === "boolean" ? text === "true" : Number(text);
}

function mapValues<T, U>(given: Named<T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, change(value)]));
}
