/** Types of the OpenAPI document. An index signature stands for the fields that only users of the document read. */
import type { JsonSchema, NamedSchemas } from "#lib/reference/json-schema.ts";
import type { FaultCode } from "#lib/base/faults.ts";

export interface ApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly [field: string]: unknown; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedEndpoint>>>>;
  readonly components: {
    readonly schemas: NamedSchemas;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly examples: Readonly<Record<string, ErrorExample>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export interface DocumentedEndpoint {
  readonly [field: string]: unknown;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly parameters: readonly DocumentedParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: ContentByMediaType };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly "x-scope": string;
  readonly "x-faults": readonly FaultCode[];
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers: NamedSchemas;
  readonly content?: ContentByMediaType;
}

export type ContentByMediaType = Readonly<Record<string, MediaTypeObject>>;

export interface MediaTypeObject {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: NamedSchemas;
}

interface ErrorExample {
  readonly summary: string;
  readonly value: { readonly error: string };
}

export interface EndpointEntry extends DocumentedEndpoint {
  readonly method: string;
  readonly path: string;
}

export function listEndpointEntries({ paths }: ApiDocument): readonly EndpointEntry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, endpoint]) => ({ ...endpoint, method: method.toUpperCase(), path }))
  );
}
