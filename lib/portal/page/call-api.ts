/**
 * How pages come to what they show and do: they ask the API's own endpoints, within the program.
 *
 * Access, schemas, handler and the reply's filter are the endpoint's. So a page can do nothing that the API cannot, and sees
 * no column that the API does not tell.
 */
import type * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { IdempotencyKey } from "#lib/idempotency/store.ts";
import type { AnyEndpoint, EndpointCall } from "#lib/http/endpoint.ts";
import { parseInput, parseQuery, refuseControlCharacters, validateIdempotencyKey } from "#lib/http/input.ts";
import type { Reply } from "#lib/http/reply.ts";
import { refuseUnknownFields } from "#lib/http/unknown-fields.ts";

/** A request of a page, as its endpoint gets it. */
// deno-lint-ignore no-explicit-any
export type AnyEndpointCall = EndpointCall<any, object, v.AnySchema, v.AnySchema, v.AnySchema>;

interface ApiRequest {
  /** The path's parameters; those of the page when absent. */
  readonly params?: Readonly<Record<string, string>>;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  /** What makes a creation repeatable: the form's own key. */
  readonly key?: string;
}

/** An endpoint that answers with this. */
// deno-lint-ignore no-explicit-any
export type EndpointReturning<Value> = AnyEndpoint & { readonly reply: Reply<any, Value> };

/** Answers as the API would, with what it sends as a value. Throws the Fault that it would refuse with. */
export type CallApi = <Value>(endpoint: EndpointReturning<Value>, question?: ApiRequest) => Promise<Value>;

const NOTHING = new Uint8Array();

export function createApiCaller(call: AnyEndpointCall): CallApi {
  const { app, request, ip, userAgent, signal, runInHubQueue, service } = call;
  return async (
    endpoint,
    {
      params: pathParams = call.params as Readonly<Record<string, string>> ?? {},
      query: optionalQuery = {},
      body,
      key,
    } = {},
  ) => {
    const params = refuseControlCharacters(pathParams), query = withoutUndefined(optionalQuery);
    const caller: Actor | null = endpoint.scope === "public" ? null : call.actor;
    const { actor, ...loaded } = await endpoint.access.admit({ app, actor: caller, params, query });
    const value = await endpoint.handle({
      ...loaded,
      app,
      actor,
      params: parseInput(endpoint.params, params),
      query: parseQuery(endpoint, query),
      body: bodyOf(endpoint, body),
      raw: NOTHING,
      request,
      ip,
      userAgent,
      signal,
      runInHubQueue,
      idempotency: endpoint.idempotent && key && caller ? await keyOf(request, caller, key, body) : null,
      service,
    });
    return endpoint.reply.toResult(value);
  };
}

/** The answer, or null where the caller may not ask that: for parts of a page that not everybody is shown. */
export async function ifAllowed<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Fault && (error.kind === "forbidden" || error.kind === "missing")) return null;
    throw error;
  }
}

function bodyOf({ body: schema }: AnyEndpoint, body: object | undefined): unknown {
  if (!schema) return undefined;
  const values = withoutUndefined((body ?? {}) as Record<string, unknown>);
  refuseUnknownFields(schema, values);
  return parseInput(schema, values);
}

function withoutUndefined<T>(values: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<string, T>;
}

async function keyOf(
  { method, url }: Request,
  { userId }: Actor,
  key: string,
  body: object | undefined,
): Promise<IdempotencyKey> {
  const bytes = new TextEncoder().encode(JSON.stringify(body ?? {}));
  const bodyHash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { userId, method, path: new URL(url).pathname, key: validateIdempotencyKey(key), bodyHash };
}
