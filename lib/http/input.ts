/** Reads a request's path, query, body and Idempotency-Key, and validates them against the endpoint's schemas. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import type { AnyEndpoint } from "#lib/http/endpoint.ts";
import type { HttpExchange } from "#lib/http/exchange.ts";
import { readForm } from "#lib/http/form.ts";
import { collectInputProblems, describeInputProblems } from "#lib/http/input-problems.ts";
import { refuseUnknownFields, refuseUnknownParameters } from "#lib/http/unknown-fields.ts";

export function mayHaveBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/**
 * Returns whether the endpoint refuses unknown query parameters. Pages accept them, because mail programs and trackers
 * add parameters to links. Endpoints with `raw` accept them, because another service defines those requests.
 */
export function refusesUnknownParameters(
  { raw, reply, strict }: Pick<AnyEndpoint, "raw" | "reply" | "strict">,
): boolean {
  return strict ?? (!raw && reply.content?.type !== "text/html");
}

/** Validates the query. Throws an `invalid` fault (`invalid_input` or `unknown_parameter`). */
export function parseQuery(endpoint: AnyEndpoint, query: Readonly<Record<string, string>>): unknown {
  if (refusesUnknownParameters(endpoint)) refuseUnknownParameters(endpoint.query, query);
  return parseInput(endpoint.query, query);
}

/**
 * Reads and validates the body. Returns undefined if the endpoint has no body. Throws a `media_type`, `too_large` or
 * `invalid` fault.
 */
export async function parseBody({ body, form, raw }: AnyEndpoint, exchange: HttpExchange): Promise<unknown> {
  if (raw || !mayHaveBody(exchange.request.method)) return undefined;
  const fields = await (form ? readForm : readBody)(exchange);
  refuseUnknownFields(body, fields);
  return parseInput(body, fields);
}

/** Validates input. Throws an `invalid` fault (`invalid_input`) with a message that names each invalid field. */
export function parseInput(schema: v.GenericSchema | undefined, input: unknown): unknown {
  if (!schema) return undefined;
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return result.output;
  const problems = collectInputProblems(schema, result.issues);
  throw new Fault("invalid", "invalid_input", describeInputProblems(problems), {
    fields: Object.fromEntries(problems),
  });
}

/** Decodes percent-encoded path parameters. Throws an `invalid` fault (`bad_path`). */
export function decodePathParameters(encoded: Readonly<Record<string, string>>): Record<string, string> {
  const params = Object.entries(encoded).map(([name, value]) => [name, decode(value)] as const);
  return refuseControlCharacters(Object.fromEntries(params));
}

/** Returns `params`. Throws an `invalid` fault (`bad_path`) if a parameter is null or contains control characters. */
export function refuseControlCharacters(params: Readonly<Record<string, string | null>>): Record<string, string> {
  // deno-lint-ignore no-control-regex
  if (Object.values(params).every((value) => value !== null && !/[\u0000-\u001f\u007f]/.test(value))) {
    return params as Record<string, string>;
  }
  throw new Fault("invalid", "bad_path", "The path must be percent-encoded UTF-8 without control characters");
}

/**
 * Starts to read the endpoint's object before the caller is known. Returns undefined for requests without credentials,
 * and for an invalid path or query, which are refused once the caller is known.
 */
export function prefetchObject(
  app: App,
  { access: { prefetch } }: AnyEndpoint,
  { request: { headers }, url }: HttpExchange,
  encoded: Readonly<Record<string, string>>,
): Promise<unknown> | undefined {
  if (!prefetch || !headers.has("authorization") && !headers.has("cookie")) return undefined;
  try {
    const read = prefetch({ app, params: decodePathParameters(encoded), query: readQuery(url) });
    read?.catch(() => {}); // the access rule throws the error, unless the caller is refused first
    return read;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

const MAX_PARAMETERS = 40, MAX_QUERY_LENGTH = 8192;

/** Reads the query. Throws an `invalid` fault if a parameter is repeated or badly encoded, or if there are too many. */
export function readQuery(url: URL): Record<string, string> {
  if (url.search === "") return {};
  if (url.search.length > MAX_QUERY_LENGTH || url.search.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    const message = `The query must have at most ${MAX_PARAMETERS} parameters and ${MAX_QUERY_LENGTH} characters`;
    throw new Fault("invalid", "too_many_parameters", message);
  }
  if (decode(url.search) === null) {
    throw new Fault("invalid", "bad_query", "The query must be percent-encoded UTF-8");
  }
  const names = [...url.searchParams.keys()];
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) {
    throw new Fault("invalid", "repeated_parameter", "Send each query parameter only once");
  }
  return Object.fromEntries(url.searchParams);
}

/** Reads a JSON object. An empty body counts as `{}`. Throws a `media_type`, `too_large` or `invalid` fault. */
async function readBody(exchange: HttpExchange): Promise<Record<string, unknown>> {
  const bytes = await exchange.body();
  if (bytes.length === 0) return {};
  const { headers } = exchange.request;
  const encoding = headers.get("content-encoding") ?? "identity";
  if (!isJson(headers.get("content-type") ?? "") || encoding !== "identity") {
    throw new Fault("media_type", "not_json", "The body must be JSON, sent as Content-Type: application/json");
  }
  const value = parse(bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Fault("invalid", "not_an_object", "The body must be a JSON object");
}

/** Returns the Idempotency-Key; null if the header is absent. Throws an `invalid` fault (`bad_idempotency_key`). */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  return key === null ? null : validateIdempotencyKey(key);
}

/** Returns the key unchanged if it is valid. Otherwise throws an `invalid` fault (`bad_idempotency_key`). */
export function validateIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const message = "Idempotency-Key must be 1 to 255 visible ASCII characters without spaces";
  throw new Fault("invalid", "bad_idempotency_key", message);
}

/** Returns whether the content type is JSON in UTF-8. JSON has no other charset (RFC 8259). */
function isJson(type: string): boolean {
  const [, parameters] = /^application\/json *(;.*|$)/i.exec(type) ?? [];
  const charset = /; *charset *= *"?([^";]*)/i.exec(parameters ?? "")?.[1]?.trim();
  return parameters !== undefined && (charset === undefined || /^utf-?8$/i.test(charset));
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // Omits the parser's error, because its message quotes the body, which may contain a password.
    throw new Fault("invalid", "unreadable_json", "The body is not valid JSON in UTF-8");
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
