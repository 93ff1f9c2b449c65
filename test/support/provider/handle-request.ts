/** Handles a single request: checks credentials, API version and form, and runs the endpoint for the path. */
import { CUSTOMERS } from "#test/support/provider/customers.ts";
import { checkPaths, expandFields } from "#test/support/provider/expand.ts";
import type { ProviderFault } from "#test/support/provider/faults.ts";
import { parseForm } from "#test/support/provider/form.ts";
import type { IdempotencyKeys, StoredResponse } from "#test/support/provider/idempotency.ts";
import { INVOICE_ENDPOINTS } from "#test/support/provider/invoice-endpoints.ts";
import { checkParams } from "#test/support/provider/params.ts";
import { PRICES } from "#test/support/provider/prices.ts";
import type { Json } from "#test/support/provider/records.ts";
import { ProviderError } from "#test/support/provider/api-error.ts";
import type { Route } from "#test/support/provider/route.ts";
import { SUBSCRIPTION_ENDPOINTS } from "#test/support/provider/subscription-endpoints.ts";
import { newId, VERSION, type World } from "#test/support/provider/world.ts";

const ROUTES: readonly Route[] = [...CUSTOMERS, ...PRICES, ...SUBSCRIPTION_ENDPOINTS, ...INVOICE_ENDPOINTS];

export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ProviderResponse extends StoredResponse {
  readonly headers: Record<string, string>;
}

export interface ProviderContext {
  readonly world: World;
  readonly key: string;
  readonly keys: IdempotencyKeys;
}

/** Handles a request. Calls `wait` after recording the request and its idempotency key, but before any work. */
export async function handleRequest(
  desk: ProviderContext,
  asked: ProviderRequest,
  fault: ProviderFault | null,
  wait: () => Promise<void>,
): Promise<ProviderResponse> {
  const requestId = newId("req"), { method, path, body } = asked;
  const respond = (status: number, value: unknown, more: Record<string, string> = {}): ProviderResponse => ({
    status,
    body: JSON.stringify(value, null, 2),
    requestId,
    headers: { "request-id": requestId, "stripe-version": VERSION, ...more },
  });
  const refused = (cause: unknown): ProviderResponse => {
    if (!(cause instanceof ProviderError)) throw cause;
    const limit: Record<string, string> = cause.limit ? { "stripe-rate-limited-reason": cause.limit } : {};
    const again: Record<string, string> = cause.status === 409 ? { "stripe-should-retry": "true" } : {};
    return respond(cause.status, cause.body(requestId), { ...limit, ...again });
  };
  const name = asked.headers["idempotency-key"], key = method === "POST" && typeof name === "string" ? name : null;
  const echo: Record<string, string> = key === null ? {} : { "idempotency-key": key, "original-request": requestId };
  try {
    if (fault?.what === "429") {
      const message = "Too many requests hit the API too quickly. Please retry later.";
      throw new ProviderError(429, message, { code: "rate_limit", limit: "global-rate" });
    }
    if (fault?.what === "500" && !fault.kept) throw troubled();
    authenticate(desk.key, asked);
    const { route, ids } = find(method, path);
    const form = parseForm(method === "POST" ? body : asked.query);
    const params = checkParams(route.rules, form);
    checkPaths(params.expand);
    const storedResponse = key === null ? null : desk.keys.begin(key, path, form, desk.world.now);
    if (storedResponse) {
      const headers = { ...echo, "original-request": storedResponse.requestId, "idempotent-replayed": "true" };
      return { ...storedResponse, headers: { "request-id": requestId, "stripe-version": VERSION, ...headers } };
    }
    await wait();
    desk.world.request = { id: requestId, idempotency_key: key };
    const reply = work(desk.world, route, params, ids, fault, (status, value) => respond(status, value, echo), refused);
    if (key !== null) desk.keys.end(key, reply);
    return reply;
  } catch (cause) {
    const reply = refused(cause), again = fault?.retryAfter;
    return again === undefined ? reply : { ...reply, headers: { ...reply.headers, "retry-after": String(again) } };
  }
}

function work(
  world: World,
  route: Route,
  params: Record<string, Json>,
  ids: readonly string[],
  fault: ProviderFault | null,
  respond: (status: number, value: unknown) => ProviderResponse,
  refused: (cause: unknown) => ProviderResponse,
): ProviderResponse {
  try {
    if (fault?.what === "500") throw troubled();
    return respond(200, expandFields(world, route.handle(world, params, ...ids), params.expand));
  } catch (cause) {
    return refused(cause);
  }
}

function troubled(): ProviderError {
  return new ProviderError(500, "An unknown error occurred", { type: "api_error" });
}

function authenticate(key: string, { method, headers, body }: ProviderRequest): void {
  const [, token] = /^Bearer (\S+)$/.exec(String(headers.authorization ?? "")) ?? [];
  if (token === undefined) throw new ProviderError(401, "You did not provide an API key.");
  if (token !== key) throw new ProviderError(401, `Invalid API Key provided: ${token.slice(0, 8)}****`);
  const version = headers["stripe-version"];
  if (version !== VERSION) throw new ProviderError(400, `Invalid Stripe API version: ${version ?? "none"}`);
  const type = String(headers["content-type"] ?? "").split(";")[0]!.trim();
  if (method === "POST" && body !== "" && type !== "application/x-www-form-urlencoded") {
    const message = `Invalid request (check that your POST content type is application/x-www-form-urlencoded): ${type}`;
    throw new ProviderError(400, message);
  }
}

function find(method: string, path: string): { route: Route; ids: string[] } {
  for (const route of ROUTES) {
    const found = route.method === method && route.pattern.exec(path);
    if (found) return { route, ids: found.slice(1).map(decodeURIComponent) };
  }
  throw new ProviderError(404, `Unrecognized request URL (${method}: ${path}).`);
}
