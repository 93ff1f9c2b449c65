/** Defines the parts of an OpenAPI document that the surface reads. */
import type { JsonSchema } from "#lib/reference/json-schema.ts";

export type NamedValues<T> = Readonly<Record<string, T>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

type Content = NamedValues<{ readonly schema?: JsonSchema }>;

export interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

export interface Answer {
  readonly content?: Content;
  readonly headers?: NamedValues<Header>;
}

export interface Operation {
  readonly deprecated?: boolean;
  readonly security?: readonly NamedValues<readonly string[]>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: NamedValues<Answer>;
  /** Other paths of the same endpoint. */
  readonly "x-aliases"?: readonly string[];
  readonly "x-access"?: string;
  readonly "x-scope"?: string;
  readonly "x-faults"?: readonly string[];
  readonly "x-deprecation"?: { readonly since?: unknown; readonly sunset?: unknown };
}

export interface OpenApiDocument {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths?: NamedValues<NamedValues<Operation>>;
  readonly components?: {
    readonly schemas?: NamedValues<JsonSchema>;
    readonly headers?: NamedValues<Header>;
    readonly examples?: NamedValues<{ readonly value: { readonly code?: string; readonly statusCode: number } }>;
    readonly securitySchemes?: NamedValues<JsonSchema>;
  };
}

const METHODS = ["get", "put", "post", "delete", "patch"];
const PARTS = [
  ...[
    "deprecated",
    "security",
    "parameters",
    "requestBody",
    "responses",
    "operationId",
    "tags",
    "summary",
    "description",
  ],
  ...["x-aliases", "x-access", "x-scope", "x-faults", "x-deprecation"],
];

const KEYS = ["openapi", "info", "servers", "tags", "paths", "components"];

/** Returns each operation with its name: `GET /api/spokes/{spokeId}`. Throws for parts of the document that the surface
 * would ignore. */
export function operationsOf(document: OpenApiDocument): readonly (readonly [name: string, Operation])[] {
  const other = Object.keys(document).find((key) => !KEYS.includes(key)), { paths = {} } = document;
  if (other) throw new Error(`The surface has no words for ${other} of the document`);
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`, { parameters = [], requestBody, responses = {} } = operation;
      const unknown = METHODS.includes(method) ? Object.keys(operation).find((key) => !PARTS.includes(key)) : method;
      const others = [...parameters, requestBody, ...Object.values(responses)].some((one) => one && "$ref" in one);
      if (unknown || others) throw new Error(`The surface has no words for ${unknown ?? "a reference"} of ${name}`);
      return [name, operation] as const;
    })
  );
}
