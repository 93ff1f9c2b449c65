/**
 * An OpenAPI document as something to ask: which operation a request is of, and whether a value is what is declared.
 *
 * Objects are closed on the way: a field that the document does not name must not leave, though JSON Schema alone would
 * let it pass.
 */
import { type Schema, Validator } from "@cfworker/json-schema";

// deno-lint-ignore no-explicit-any
type Json = any;

export interface Declared {
  readonly headers: readonly string[];
  /** By media type; none where there is no body. */
  readonly content: Readonly<Record<string, Json>>;
  /** Of a refusal: the codes that its body may have. */
  readonly codes: readonly string[];
}

export interface Operation {
  /** What it answers with this status, or null where the document has no such answer. */
  answer(status: number): Declared | null;
}

export interface Place {
  /** The methods of this path, as the document has them. */
  readonly methods: readonly string[];
  operation(method: string): Operation | null;
}

export interface Document {
  /** What is at this path, or null for a path that is not declared. */
  find(path: string): Place | null;
  /** What is wrong with the value, or null. */
  misfit(schema: Json, value: unknown): string | null;
}

export function openDocument(document: Json): Document {
  const named = close(document.components?.schemas ?? {}) as Record<string, unknown>;
  const validators = new WeakMap<object, Validator>();
  const places = Object.entries<Json>(document.paths).map(([template, item]) => ({
    pattern: new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+")}$`),
    parameters: template.split("{").length - 1,
    place: placeOf(document, item),
  })).sort((a, b) => a.parameters - b.parameters); // a literal path goes before one that a parameter would match
  return {
    find(path) {
      const known = /^\/(?:auth\/|changelog\.atom$)/.test(path) ? `/api${path}` : path; // its other address
      const trimmed = known.length > 1 && known.endsWith("/") ? known.slice(0, -1) : known;
      return places.find(({ pattern }) => pattern.test(trimmed))?.place ?? null;
    },
    misfit(schema, value) {
      if (value === undefined) return "it is no JSON";
      const known = validators.get(schema) ?? makeValidator(close(schema) as Schema, named);
      validators.set(schema, known);
      const { valid, errors } = known.validate(value);
      const last = errors.at(-1);
      if (valid || !last) return null;
      return `${last.instanceLocation} ${last.keyword === "false" ? "is not declared" : last.error}`;
    },
  };
}

/** With those of the named schemas that it refers to, and no more: a validator looks at all that it is given. */
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

function placeOf(document: Json, item: Json): Place {
  return {
    methods: Object.keys(item).map((method) => method.toUpperCase()),
    operation(method) {
      const found = item[method.toLowerCase()];
      return found ? { answer: (status) => answerOf(document, found.responses, status) } : null;
    },
  };
}

/** `default` stands for every refusal, unless refusals are declared one by one. */
function answerOf(document: Json, responses: Json, status: number): Declared | null {
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
  if (!found) throw new Error(`The document has nothing at ${value.$ref}`);
  return resolve(document, found);
}

/** The same schema, in which an object has no fields but those that it names. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const { allOf, ...rest } = schema as Record<string, unknown>;
  const closed = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, close(value)]));
  // The parts of a whole know only their own fields, so it is the whole that is closed.
  if (allOf) return { ...closed, allOf, unevaluatedProperties: false };
  const open = "properties" in rest && !("additionalProperties" in rest) && !("unevaluatedProperties" in rest);
  return open && typeof rest.properties === "object" ? { ...closed, additionalProperties: false } : closed;
}
