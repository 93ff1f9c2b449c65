/** Defines the middleware that every request passes through. src/server.ts sets the order. */
import { runInContext } from "#lib/base/work-context.ts";
import type { SignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
import { Fault } from "#lib/base/errors.ts";
import { appendHeader, type HttpResponse, isBodyStream } from "#lib/http/response.ts";
import { ClientDisconnected, type HttpExchange } from "#lib/http/exchange.ts";
import { mayHaveBody } from "#lib/http/input.ts";
import { toErrorResponse } from "#lib/http/problem.ts";
import { isEventStream } from "#lib/http/sse.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { DAY, SECOND } from "#lib/base/time.ts";
import type { Actor, TokenScope } from "#lib/domains/auth/access.ts";
import { requiresFactor } from "#lib/domains/auth/factors/store.ts";
import type { FactorRequirement } from "#lib/model/sign-in.ts";
import type { AnyEndpoint } from "#lib/http/endpoint.ts";

export type Middleware = (exchange: HttpExchange, next: () => Promise<HttpResponse>) => Promise<HttpResponse>;

/** Runs the middleware in the given order, then the route. `at` is the index of the next middleware to run. */
export function runMiddleware(list: readonly Middleware[], exchange: HttpExchange, at = 0): Promise<HttpResponse> {
  const next = list[at];
  return next ? next(exchange, () => runMiddleware(list, exchange, at + 1)) : exchange.route.respond(exchange);
}

/** Runs the request, including a streamed response, in a work context, so that log entries contain its IDs. */
export const setWorkContext: Middleware = async ({ id, trace }, next) => {
  const cause = { rootSpan: trace, logFields: { requestId: id } },
    answer = await runInContext(cause, next),
    { body } = answer;
  if (!isBodyStream(body)) return answer;
  return { ...answer, body: { ...body, run: (write) => runInContext(cause, () => body.run(write)) } };
};

const KNOWN_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Records a span for each request. Labels non-standard methods `other`, because clients can invent any number. */
export function recordTelemetry(telemetry: Telemetry): Middleware {
  return ({ request, route, id, contextIds }, next) => {
    const method = KNOWN_METHODS.includes(request.method) ? request.method : "other";
    const options = { details: { request_id: id } };
    return telemetry.span("request", { method, route: route.pattern }, async ({ labels, details }) => {
      const answer = await next();
      labels.status = answer.status;
      Object.assign(details, contextIds);
      return answer;
    }, options);
  };
}

const REFUSED_STATUSES = [401, 403, 429];

/**
 * Logs one line per request with the IDs of the user, hub and spoke, and the code of a refusal. Logs the path pattern
 * rather than the URL, which may contain secrets. Refused requests are logged with the client's IP address, so that
 * attacks can be traced.
 */
export const logAccess: Middleware = async ({ request, route, log, ip, contextIds }, next) => {
  const began = performance.now();
  const answer = await next();
  const { status } = answer;
  const level = status >= 500 ? "warn" : route.endpoint?.probe ? "debug" : "info";
  const ms = Math.round((performance.now() - began) * 10) / 10;
  log[level](`${request.method.slice(0, 20)} ${route.pattern}`, {
    status,
    ms,
    ...contextIds,
    ...(REFUSED_STATUSES.includes(status) && { ip }),
  });
  return answer;
};

/**
 * Adds security headers, the route's headers and the request ID to every response, including errors. A page may set its
 * own Content-Security-Policy.
 */
export function addHeaders(publicUrl: URL): Middleware {
  const usual = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    ...(publicUrl.protocol === "https:" && { "strict-transport-security": `max-age=${365 * DAY / SECOND}` }),
  };
  return async ({ route, id }, next) => {
    const { status, headers: own, body } = await next(), headers: HttpResponse["headers"] = { ...usual, ...own };
    for (const [name, value] of route.headers) appendHeader(headers, name, value);
    headers["x-request-id"] = id;
    return { status, headers, body };
  };
}

/**
 * Converts errors from later middleware to responses: an HTML page for browsers, JSON for other clients. `methods` are
 * the ways to sign in that a page for status 401 offers.
 */
export function renderErrors(methods: SignInMethods): Middleware {
  return async (exchange, next) => {
    try {
      return await next();
    } catch (error) {
      const { request, url, route } = exchange;
      const { errorPage, negotiatedErrorPage } = route.endpoint ??
        { errorPage: undefined, negotiatedErrorPage: route.negotiatedErrorPage };
      const acceptsHtml = () => request.headers.get("accept")?.includes("text/html");
      const show = errorPage ?? (negotiatedErrorPage && acceptsHtml() ? negotiatedErrorPage : undefined);
      const path = mayHaveBody(request.method) ? null : url.pathname + url.search;
      const refused = toErrorResponse(error, exchange, show && ((problem) => show({ ...problem, path, methods })));
      return request.method === "HEAD" ? { ...refused, body: null } : refused;
    }
  };
}

/** Reads the request body. The request does not count as in flight until its body is complete. */
export const receiveBody: Middleware = async (exchange, next) => {
  const receiving = exchange.route.receive(exchange);
  if (receiving) await receiving;
  return await next();
};

/** Counts a request as in flight until its response is sent. Streams and refusals count only until they start. */
export const shedLoad: Middleware = async ({ loadSlot, sent }, next) => {
  loadSlot.enter();
  let streams = false;
  try {
    const answer = await next();
    streams = isEventStream(answer);
    return answer;
  } finally {
    if (streams || !loadSlot.isAssigned) loadSlot.release();
    else void sent.then(loadSlot.release);
  }
};

/** Cancels the request when it has used `ms` milliseconds or the client disconnects. */
export function enforceDeadline(ms: number): Middleware {
  return ({ abort, onDisconnect: onGone, timeBudget }, next) =>
    new Promise((resolve, reject) => {
      const end = (reason: Fault | ClientDisconnected) => {
        timeBudget.close();
        abort(reason);
        reject(reason);
      };
      onGone(() => end(new ClientDisconnected()));
      timeBudget.start(() => {
        const message = `The request took longer than the limit of ${ms / SECOND} s; retry later`;
        end(new Fault("timeout", "too_slow", message));
      });
      next().then(resolve, reject).finally(timeBudget.close);
    });
}

const SCOPES: readonly TokenScope[] = ["readonly", "provisioning", "cli"]; // each scope includes the scopes before it

/** Refuses tokens on endpoints that require a session, whether or not the token is valid. */
export function refuseBearerToken(endpoint: Pick<AnyEndpoint, "scope" | "purpose">, headers: Headers): void {
  if (!headers.has("authorization")) return;
  if (endpoint.scope === "flow") {
    const message = "Remove the Authorization header: this endpoint requires a session, not a token";
    throw new Fault("unauthenticated", "no_bearer_here", message);
  }
  if (endpoint.scope === "session") {
    throw new Fault("unauthenticated", "session_required", `${endpoint.purpose ?? "this"} requires a session`);
  }
}

/** Checks that the token has the required scope or a wider scope. Sessions are always allowed. */
export function requireScope(endpoint: Pick<AnyEndpoint, "scope">, actor: Actor | null): void {
  const needed = SCOPES.indexOf(endpoint.scope as TokenScope);
  if (needed < 0 || actor?.credential.kind !== "token") return;
  const { scope } = actor.credential;
  if (SCOPES.indexOf(scope) >= needed) return;
  const message = `The token's scope is ${scope}; this request needs a token with the scope ${
    SCOPES.slice(needed).join(" or ")
  }`;
  throw new Fault("forbidden", "scope_too_narrow", message);
}

/** Refuses users who must set up a second factor first, except on endpoints with which they do. Allows all tokens. */
export function requireEnrolment(
  { scope, duringEnrolment }: Pick<AnyEndpoint, "scope" | "duringEnrolment">,
  actor: Actor | null,
  requirement: FactorRequirement,
): void {
  if (scope === "flow" || duringEnrolment || actor?.credential.kind !== "session") return;
  if (actor.credential.hasFactor || !requiresFactor(requirement, actor.role)) return;
  const message = "Your account needs a second factor; add one with POST /api/auth/factors or in the portal";
  throw new Fault("forbidden", "second_factor_enrolment_required", message);
}

/** Checks that the session is recent, if the endpoint requires this for the request. Tokens are always allowed. */
export function requireRecentSignIn(
  { recentSignIn }: Pick<AnyEndpoint, "recentSignIn">,
  actor: Actor | null,
  request: { readonly query: unknown; readonly body: unknown },
): void {
  if (recentSignIn === undefined || actor?.credential.kind !== "session" || actor.credential.recent) return;
  if (recentSignIn !== true && !recentSignIn.when(request)) return;
  const message = "You signed in too long ago for this; call POST /api/auth/confirm, and try again";
  throw new Fault("forbidden", "recent_sign_in_required", message);
}

/**
 * Checks that a request with a session cookie comes from this site (CSRF protection). Browsers send `Sec-Fetch-Site` or
 * `Origin`, so a request with neither header does not come from a browser and is allowed.
 */
export function requireSameOrigin(request: Request, actor: Actor | null, publicUrl: URL): void {
  if (request.method === "GET" || request.method === "HEAD" || actor?.credential.kind === "token") return;
  refuseOtherSites(request, publicUrl);
}

/** Refuses a request that a browser sends for another site, whatever the method. */
export function refuseOtherSites({ headers }: Request, publicUrl: URL): void {
  const site = headers.get("sec-fetch-site"), origin = headers.get("origin");
  const isOwn = site !== null
    ? site === "same-origin" || site === "none"
    : origin === null || origin === publicUrl.origin || isHost(origin, headers.get("host"));
  if (!isOwn) throw new Fault("forbidden", "cross_origin", "Requests from another site are not allowed");
}

function isHost(origin: string, host: string | null): boolean {
  return host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
