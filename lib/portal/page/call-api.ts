/**
 * Lets portal pages call API endpoints within the process. The endpoint's access rules, schemas, handler and response
 * filter all apply, so a page can neither do nor show anything that the API does not allow.
 */
import type * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { readCompletely } from "#lib/http/complete-list.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { IdempotencyKey } from "#lib/idempotency/store.ts";
import type { AnyEndpoint, EndpointCall } from "#lib/http/endpoint.ts";
import { parseInput, parseQuery, refuseControlCharacters, validateIdempotencyKey } from "#lib/http/input.ts";
import { requireRecentSignIn } from "#lib/http/middleware.ts";
import type { Reply } from "#lib/http/reply.ts";
import { refuseUnknownFields } from "#lib/http/unknown-fields.ts";

/** The HTTP request that a portal page's endpoint is handling. */
// deno-lint-ignore no-explicit-any
export type PageEndpointCall = EndpointCall<any, object, v.AnySchema, v.AnySchema, v.AnySchema>;

interface ApiRequest {
  /** Path parameters for the API endpoint. Defaults to the path parameters of the page. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters for the API endpoint. Undefined parameters are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: object;
  /** The form's idempotency key. */
  readonly key?: string;
}

/** An API endpoint that returns a `Value`. */
// deno-lint-ignore no-explicit-any
export type EndpointReturning<Value> = AnyEndpoint & { readonly reply: Reply<any, Value> };

/** A function that calls an API endpoint and returns the result. Throws a fault if the endpoint refuses the call. */
export type CallApi = <Value>(endpoint: EndpointReturning<Value>, question?: ApiRequest) => Promise<Value>;

const NOTHING = new Uint8Array();

export function createApiCaller(call: PageEndpointCall): CallApi {
  const { app, request, ip, userAgent, signal, countLoginAttempt, runInHubQueue, service } = call;
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
    const input = { query: parseQuery(endpoint, query), body: bodyOf(endpoint, body) };
    requireRecentSignIn(endpoint, caller, input);
    const value = await endpoint.handle({
      ...loaded,
      ...input,
      app,
      actor,
      params: parseInput(endpoint.params, params),
      raw: NOTHING,
      request,
      ip,
      userAgent,
      signal,
      runInHubQueue,
      countLoginAttempt,
      idempotency: endpoint.idempotent && key && caller ? await keyOf(request, caller, key, body) : null,
      service,
    });
    return endpoint.reply.toResult(await readCompletely(value));
  };
}

/** Returns an API call's result, or null if the user may not see the object. Used for optional parts of a page. */
export async function resultIfVisible<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Fault && (error.kind === "forbidden" || error.kind === "missing")) return null;
    throw error;
  }
}

/** Reads each object once. Returns those that the user may see, by ID. */
export async function readEach<T>(
  ids: readonly string[],
  read: (id: string) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const found = await Promise.all(
    [...new Set(ids)].map(async (id) => [id, await resultIfVisible(read(id))] as const),
  );
  return new Map(found.flatMap(([id, value]) => value === null ? [] : [[id, value]]));
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
