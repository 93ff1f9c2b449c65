/** Reads an OpenAPI document: finds the operation for a request, and checks values against schemas. Unlike JSON Schema
 * itself, the check rejects a response field that the document does not declare. */
import { type Schema, Validator } from "@cfworker/json-schema";

// deno-lint-ignore no-explicit-any
type Json = any;

export interface DeclaredResponse {
  readonly headers: readonly string[];
  /** The body's schemas, keyed by media type. Empty if the response has no body. */
  readonly content: Readonly<Record<string, Json>>;
  /** The error codes that the body of an error response may contain. */
  readonly codes: readonly string[];
}

export interface Operation {
  /** Returns the declared response with this status; null if the document declares none. */
  answer(status: number): DeclaredResponse | null;
}

export interface DocumentPath {
  /** The HTTP methods that the document declares for this path. */
  readonly methods: readonly string[];
  operation(method: string): Operation | null;
}

export interface OpenApiReader {
  /** Returns the declared path that matches `path`; null if no declared path matches. */
  find(path: string): DocumentPath | null;
  /** Returns why the value does not match the schema; null if the value matches. */
  misfit(schema: Json, value: unknown): string | null;
}

export function openOpenApiReader(document: Json): OpenApiReader {
  const named = close(document.components?.schemas ?? {}) as Record<string, unknown>;
  const validators = new WeakMap<object, Validator>();
  const places = Object.entries<Json>(document.paths).map(([template, item]) => ({
    pattern: new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+")}$`),
    parameters: template.split("{").length - 1,
    place: placeOf(document, item),
  })).sort((a, b) => a.parameters - b.parameters); // a literal path precedes a path with parameters
  return {
    find(path) {
      // Maps the short form of an endpoint's path to the documented form.
      const documented = /^\/(?:auth\/|changelog\.atom$)/.test(path) ? `/api${path}` : path;
      const trimmed = documented.length > 1 && documented.endsWith("/") ? documented.slice(0, -1) : documented;
      return places.find(({ pattern }) => pattern.test(trimmed))?.place ?? null;
    },
    misfit(schema, value) {
      if (value === undefined) return "the body is not JSON";
      const documented = validators.get(schema) ?? makeValidator(close(schema) as Schema, named);
      validators.set(schema, documented);
      const { valid, errors } = documented.validate(value);
      const last = errors.at(-1);
      if (valid || !last) return null;
      return `${last.instanceLocation} ${last.keyword === "false" ? "is not declared" : last.error}`;
    },
  };
}

/** Creates a validator with this schema and the named schemas to which it refers. Omits all other schemas, because a
 * validator processes every schema. */
function makeValidator(schema: Schema, named: Readonly<Record<string, unknown>>): Validator {
  const schemas: Record<string, unknown> = {};
  const add = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name! in schemas || !(name! in named)) continue;
      schemas[name!] = named[name!];
      add(named[name!]);
    }
  };
  add(schema);
  return new Validator({ ...schema, components: { schemas } }, "2020-12");
}

function placeOf(document: Json, item: Json): DocumentPath {
  return {
    methods: Object.keys(item).map((method) => method.toUpperCase()),
    operation(method) {
      const found = item[method.toLowerCase()];
      return found ? { answer: (status) => answerOf(document, found.responses, status) } : null;
    },
  };
}

/** Returns the declared response for a status. `default` applies to all errors without their own declaration. */
function answerOf(document: Json, responses: Json, status: number): DeclaredResponse | null {
  const exact = Object.keys(responses).some((key) => /^[45]\d\d$/.test(key));
  const found = responses[status] ?? (status >= 400 && !exact ? responses.default : undefined);
  if (!found) return null;
  const { headers = {}, content = {} } = resolve(document, found);
  const required = Object.entries<Json>(headers).filter(([, header]) => resolve(document, header).required);
  return {
    headers: required.map(([name]) => name),
    content: Object.fromEntries(Object.entries<Json>(content).map(([type, { schema }]) => [type, schema ?? {}])),
    codes: Object.keys(content["application/json"]?.examples ?? {}),
  };
}

function resolve(document: Json, value: Json): Json {
  if (typeof value.$ref !== "string") return value;
  const found = value.$ref.split("/").slice(1).reduce((at: Json, key: string) => at?.[key], document);
  if (!found) throw new Error(`The document contains no ${value.$ref}`);
  return resolve(document, found);
}

/** Returns a copy of the schema in which every object allows only its declared fields. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const { allOf, ...rest } = schema as Record<string, unknown>;
  const closed = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, close(value)]));
  // Closes only the combined schema: each part of an `allOf` declares only some of the fields.
  if (allOf) return { ...closed, allOf, unevaluatedProperties: false };
  const open = "properties" in rest && !("additionalProperties" in rest) && !("unevaluatedProperties" in rest);
  return open && typeof rest.properties === "object" ? { ...closed, additionalProperties: false } : closed;
}
