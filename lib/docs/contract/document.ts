/** An OpenAPI document as something to compare: its operations, and what its references mean. */
import type { JsonSchema } from "#lib/docs/json-schema.ts";

export type Named<T> = Readonly<Record<string, T>>;

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonSchema;
  readonly content?: Named<Media>;
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Media {
  readonly schema?: JsonSchema;
}

export interface Body {
  readonly required?: boolean;
  readonly content?: Named<Media>;
}

export interface Header {
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

export interface Answer {
  readonly content?: Named<Media>;
  readonly headers?: Named<Header | Reference>;
}

interface Server {
  readonly url: string;
}

interface Shared {
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly servers?: readonly Server[];
}

export interface Declaration extends Shared {
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly requestBody?: Body | Reference;
  readonly responses?: Named<Answer | Reference>;
  readonly security?: readonly Named<readonly string[]>[];
  readonly "x-deprecation"?: unknown;
  /** Other paths of the same endpoint. */
  readonly "x-aliases"?: readonly string[];
  readonly "x-scope"?: string;
  readonly "x-access"?: string;
}

export interface OpenApiDocument {
  readonly servers?: readonly Server[];
  readonly security?: readonly Named<readonly string[]>[];
  readonly paths?: Named<Shared & Named<unknown>>;
  readonly components?: Named<Named<unknown>>;
}

export interface Operation {
  /** As the reference has it: `GET /api/spokes/{spokeId}`. */
  readonly name: string;
  /** The same for all names that its parameters could have: `GET /api/spokes/{}`. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly declaration: Declaration;
  readonly parameters: readonly Parameter[];
  /** What its path is added to. */
  readonly servers: readonly string[];
  readonly document: OpenApiDocument;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method): Operation => {
      const declaration = item[method] as Declaration, name = `${method.toUpperCase()} ${path}`;
      const servers = declaration.servers ?? item.servers ?? document.servers ?? [{ url: "/" }];
      return {
        name,
        address: name.replace(/\{[^}]*\}/g, "{}"),
        method,
        path,
        declaration,
        parameters: parametersOf(document, item, declaration),
        servers: servers.map(({ url }) => url),
        document,
      };
    })
  );
}

/** Those of the path, unless the operation has its own of that name. */
function parametersOf(document: OpenApiDocument, item: Shared, own: Shared): readonly Parameter[] {
  const [common, special] = [item, own].map(({ parameters = [] }) =>
    parameters.map((one) => resolve<Parameter>(document, one))
  ) as [Parameter[], Parameter[]];
  return [
    ...common.filter((one) => !special.some((other) => other.name === one.name && other.in === one.in)),
    ...special,
  ];
}

/** What is meant: itself, or what it refers to. Throws where the document has nothing there. */
export function resolve<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  let found: unknown = value;
  for (let hops = 0; isReference(found); hops++) {
    const { $ref } = found;
    if (hops > 20) throw new Error(`The document goes round in circles at ${$ref}`);
    found = $ref.split("/").slice(1).map(unescape).reduce<unknown>(
      (at, key) => (at as Named<unknown> | undefined)?.[key],
      document,
    );
    if (typeof found !== "object" || found === null) throw new Error(`The document has nothing at ${$ref}`);
  }
  return found as T;
}

export function isReference(value: unknown): value is Reference {
  return typeof value === "object" && value !== null && "$ref" in value && typeof value.$ref === "string";
}

/** A step of a JSON pointer (RFC 6901) in a URL's fragment. */
function unescape(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
}
