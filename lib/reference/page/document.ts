/** Types for the parts of the OpenAPI document that the reference page reads. */
import type { JsonSchema } from "#lib/reference/json-schema.ts";
import type { OpenApi } from "#lib/reference/openapi.ts";

export interface ReferenceDocument {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly examples: Readonly<Record<string, ExampleObject>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: ContentByMediaType };
  readonly responses: Readonly<Record<string, EndpointResponse>>;
  readonly "x-scope": string;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: string;
}

export interface EndpointResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: ContentByMediaType;
}

export type ContentByMediaType = Readonly<Record<string, MediaTypeObject>>;

export interface MediaTypeObject {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface ExampleObject {
  readonly summary: string;
  readonly value: { readonly error: string };
}

export interface EndpointEntry extends Operation {
  readonly method: string;
  readonly path: string;
}

export function toReferenceDocument(document: OpenApi): ReferenceDocument {
  return document as unknown as ReferenceDocument;
}

export function listEndpointEntries({ paths }: ReferenceDocument): readonly EndpointEntry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path }))
  );
}
