/**
 * Routes each request to its endpoint and handles the request in a fixed sequence. Checks that depend on the endpoint
 * run here rather than in middleware that matches paths, so that a new route cannot bypass them.
 */
import { TrieRouter } from "hono/router/trie-router";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { createAuthorizedDatabase } from "#lib/domains/auth/authorize-transactions.ts";
import type { CallCounter } from "#lib/domains/deprecations/calls.ts";
import { buildDeprecationHeaders, collectAnnouncedChanges, type HeaderLines } from "#lib/http/deprecation.ts";
import {
  type AnyEndpoint,
  hasEtag,
  HTTP_METHODS,
  type HttpMethod,
  listAliasPaths,
  type RouteModule,
  type ServerInfo,
} from "#lib/http/endpoint.ts";
import {
  buildOptionsRoute,
  buildRefusingRoute,
  createMethodNotAllowedFault,
  createRouteNotFoundFault,
} from "#lib/http/fallback-routes.ts";
import { type HttpResponse, isBodyStream } from "#lib/http/response.ts";
import type { HttpExchange, Route } from "#lib/http/exchange.ts";
import {
  refuseBearerToken,
  refuseOtherSites,
  requireEnrolment,
  requireRecentSignIn,
  requireSameOrigin,
  requireScope,
} from "#lib/http/middleware.ts";
import {
  decodePathParameters,
  mayHaveBody,
  parseBody,
  parseInput,
  parseQuery,
  prefetchObject,
  readIdempotencyKey,
  readQuery,
} from "#lib/http/input.ts";
import { type CachedResponse, cacheResponse, createGzipSelector, revalidate } from "#lib/http/revalidate.ts";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import type { RateLimit } from "#lib/base/limits/rate-limit.ts";

export type Authenticate = (app: App, request: Request, origin: RequestOrigin) => Promise<Actor | null>;

interface MountOptions {
  readonly app: App;
  readonly service: ServerInfo;
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  readonly calls: Pick<CallCounter, "count">;
  /** Renders the 404 for unknown paths as a page for browsers. If absent, the 404 is JSON. */
  readonly negotiatedErrorPage?: AnyEndpoint["negotiatedErrorPage"];
}

/** The mount options, plus cached responses from endpoints with `renderedOnce`, keyed by endpoint name. */
interface Mounted extends MountOptions {
  readonly renderedResponses: Map<string, (request: Request) => CachedResponse>;
}

type FindRoute = (method: string, path: string) => Route;

const NOTHING = new Uint8Array();
interface Target {
  readonly pattern: string;
  readonly module: RouteModule;
  /** Extra response headers for deprecated endpoints, by HTTP method. */
  readonly headers: Partial<Record<HttpMethod, HeaderLines>>;
}

/** Mounts all routes. Throws Error for an invalid endpoint declaration, so that the process does not start. */
export function mountRoutes(mounting: MountOptions): FindRoute {
  const router = new TrieRouter<Target>(), mounted: Mounted = { ...mounting, renderedResponses: new Map() };
  for (const [pattern, module] of mounting.service.manifest) {
    const target = { pattern, module, headers: headersOf(mounting, pattern, module) };
    for (const path of [pattern, ...listAliasPaths(pattern)]) router.add("ALL", path, target);
    for (const method of HTTP_METHODS) assertCacheable(pattern, module[method]);
  }
  return function find(method, path) {
    const [[found] = []] = router.match("ALL", withoutSlash(path));
    if (!found) {
      return {
        ...buildRefusingRoute("(none)", createRouteNotFoundFault),
        ...(mounting.negotiatedErrorPage && { negotiatedErrorPage: mounting.negotiatedErrorPage }),
      };
    }
    const [target, params] = found as readonly [Target, Record<string, string>];
    const { pattern, module } = target, existing = methodOf(method);
    if (existing && module[existing]) return routeTo(mounted, target, existing, params);
    return method === "OPTIONS"
      ? buildOptionsRoute(pattern, module)
      : buildRefusingRoute(pattern, () => createMethodNotAllowedFault(method, module));
  };
}

/** Removes a trailing slash. Clients often add a slash by accident when they join a base URL and a path. */
function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function methodOf(method: string): HttpMethod | undefined {
  return HTTP_METHODS.find((each) => each === (method === "HEAD" ? "GET" : method));
}

function headersOf({ app }: MountOptions, pattern: string, module: RouteModule): Target["headers"] {
  const notices = collectAnnouncedChanges([[pattern, module]], []).filter((notice) => notice.kind === "endpoint");
  return Object.fromEntries(
    notices.map((notice) => [notice.method, buildDeprecationHeaders(notice, app.config.publicUrl)]),
  );
}

function assertCacheable(pattern: string, endpoint: AnyEndpoint | undefined): void {
  if (endpoint?.renderedOnce && endpoint.cacheSeconds === undefined) {
    throw new Error(`${pattern} needs cacheSeconds, because renderedOnce is set`);
  }
  if (endpoint?.cacheSeconds === undefined || endpoint.scope === "public") return;
  throw new Error(`${pattern} must have the scope public, because caches may store its responses`);
}

function routeTo(
  mounting: Mounted,
  { pattern, module, headers }: Target,
  method: HttpMethod,
  encoded: Readonly<Record<string, string>>,
): Route {
  const endpoint = module[method]!, name = `${method} ${pattern}`;
  return {
    pattern,
    endpoint,
    headers: headers[method] ?? [],
    receive: (exchange) => receive(mounting, endpoint, exchange),
    async respond(exchange) {
      const response = await handleRequest(mounting, name, endpoint, encoded, exchange);
      return exchange.request.method === "HEAD" ? withoutBody(response) : response;
    },
  };
}

/**
 * Checks the rate limit and reads the body, before the request counts as in flight. Requests from other sites are
 * refused before they count towards the rate limit, because another site could otherwise use up its visitors' attempts.
 */
function receive(
  { app, rateLimit }: MountOptions,
  endpoint: AnyEndpoint,
  exchange: HttpExchange,
): Promise<void> | undefined {
  const { request, ip, body, loadSlot } = exchange;
  refuseBearerToken(endpoint, request.headers);
  if (endpoint.rateLimitMessage !== undefined) {
    refuseOtherSites(request, app.config.publicUrl);
    rateLimit.countAttempt(ip, endpoint.rateLimitMessage);
  }
  return mayHaveBody(request.method) ? body().then((bytes) => loadSlot.setBodySize(bytes.length)) : undefined;
}

/**
 * Handles a request whose body has been read: authenticates the caller, checks the scope, access and origin, validates
 * the input, and calls the handler. The handler's transactions check the caller's access again
 * (auth/authorize-transactions.ts).
 */
async function handleRequest(
  { app, service, authenticate, rateLimit, calls, renderedResponses }: Mounted,
  name: string,
  endpoint: AnyEndpoint,
  encoded: Readonly<Record<string, string>>,
  exchange: HttpExchange,
): Promise<HttpResponse> {
  const { request, url, ip, userAgent, signal, loadSlot, timeBudget, creationQueue } = exchange;
  const requestApp = { ...app, log: exchange.log, db: app.db.within(signal) };
  const admit = async () => {
    const prefetched = prefetchObject(requestApp, endpoint, exchange, encoded);
    const caller = endpoint.scope === "public" ? null : await authenticate(requestApp, request, { ip, userAgent });
    if (caller) exchange.contextIds.user = caller.userId;
    loadSlot.assignTo(caller?.userId ?? getCallerNetwork(ip));
    requireScope(endpoint, caller);
    requireEnrolment(endpoint, caller, app.config.requireSecondFactor);
    const params = decodePathParameters(encoded), query = readQuery(url);
    const loaded = await endpoint.access.admit({ app: requestApp, actor: caller, params, query, prefetched });
    return { caller, params, query, ...loaded };
  };
  const { caller, params, query, actor, ...loaded } = await (endpoint.queued ? creationQueue.admit(admit) : admit());
  Object.assign(exchange.contextIds, contextIdsOf(loaded));
  if (endpoint.scope !== "public") requireSameOrigin(request, caller, app.config.publicUrl);
  // Counts the call before it runs, so that failed calls are counted, too.
  if (caller?.credential.kind === "token") calls.count(caller.credential.id, name);
  const right = caller && endpoint.scope !== "flow"
    ? createAuthorizedDatabase(requestApp, caller, timeBudget.runPaused)
    : null;
  const call = {
    ...loaded,
    app: right ? { ...requestApp, db: right.db } : requestApp,
    actor,
    params: parseInput(endpoint.params, params),
    query: parseQuery(endpoint, query),
    body: await parseBody(endpoint, exchange),
    raw: endpoint.raw ? await exchange.body() : NOTHING,
    request,
    ip,
    userAgent,
    signal,
    idempotency: endpoint.idempotent && caller ? await idempotencyOf(exchange, caller) : null,
    countLoginAttempt: () => rateLimit.countAttempt(ip, "too many login attempts"),
    runInHubQueue: creationQueue.runInHubQueue,
    service,
  };
  requireRecentSignIn(endpoint, caller, call);
  const existing = renderedResponses.get(name);
  if (existing) return revalidate(existing(request), request);
  const value = await endpoint.handle(call);
  await right?.recheckIfLate();
  const response = endpoint.reply.send(value, url);
  if (!hasEtag(endpoint) || response.status !== 200 || typeof response.body !== "string") return response;
  const cacheable = cacheResponse({ ...response, body: response.body }, endpoint.cacheSeconds);
  if (!endpoint.renderedOnce) return revalidate(cacheable, request);
  renderedResponses.set(name, createGzipSelector(cacheable));
  return revalidate(renderedResponses.get(name)!(request), request);
}

/** Returns the IDs of the hub and spoke that were loaded for the request. */
function contextIdsOf(loaded: object): HttpExchange["contextIds"] {
  const { federation, spoke } = loaded as {
    federation?: { id: string };
    spoke?: { id: string; federationId: string };
  };
  const hub = federation?.id ?? spoke?.federationId;
  return { ...(hub !== undefined && { hub }), ...(spoke && { spoke: spoke.id }) };
}

/** Returns the request's idempotency key. A token that is limited to hubs gets no replies to other credentials. */
async function idempotencyOf({ request, url, body }: HttpExchange, { userId, hubLimit, credential }: Actor) {
  const key = readIdempotencyKey(request.headers);
  if (key === null) return null;
  const bodyHash = new Uint8Array(await crypto.subtle.digest("SHA-256", await body() as Uint8Array<ArrayBuffer>));
  const path = `${withoutSlash(url.pathname)}${hubLimit === null ? "" : ` (${credential.id})`}`;
  return { userId, method: request.method, path, key, bodyHash };
}

/** Returns the response to a HEAD request: the same headers without the body. Stops a streamed body. */
function withoutBody({ status, headers, body }: HttpResponse): HttpResponse {
  if (isBodyStream(body)) body.cancel();
  return { status, headers, body: null };
}
