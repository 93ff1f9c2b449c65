/** What every request goes through, whatever its endpoint. src/server.ts puts these in order. */
import { runInContext } from "#lib/base/work-context.ts";
import { Fault } from "#lib/base/errors.ts";
import { appendHeader, type HttpResponse, isBodyStream } from "#lib/http/response.ts";
import { ClientDisconnected, type Exchange } from "#lib/http/exchange.ts";
import { hasBody } from "#lib/http/input.ts";
import { toErrorResponse } from "#lib/http/problem.ts";
import { isStream } from "#lib/http/sse.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { DAY, SECOND } from "#lib/base/time.ts";

export type Middleware = (exchange: Exchange, next: () => Promise<HttpResponse>) => Promise<HttpResponse>;

/** Runs the list around the route, the first one outermost; `at` is how many of them are through. */
export function runMiddleware(list: readonly Middleware[], exchange: Exchange, at = 0): Promise<HttpResponse> {
  const next = list[at];
  return next ? next(exchange, () => runMiddleware(list, exchange, at + 1)) : exchange.route.respond(exchange);
}

/** What is done from here on, a stream included, is done for this request: the log and whoever is asked are told so. */
export const setWorkContext: Middleware = async ({ id, trace }, next) => {
  const cause = { rootSpan: trace, logFields: { requestId: id } },
    answer = await runInContext(cause, next),
    { body } = answer;
  if (!isBodyStream(body)) return answer;
  return { ...answer, body: { ...body, run: (write) => runInContext(cause, () => body.run(write)) } };
};

const KNOWN_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Tells of each request. A client may make up methods, so that those that nothing here answers to are one: `other`. */
export function recordTelemetry(telemetry: Telemetry): Middleware {
  return ({ request, route, id, about }, next) => {
    const method = KNOWN_METHODS.includes(request.method) ? request.method : "other";
    const options = { details: { request_id: id } };
    return telemetry.span("request", { method, route: route.pattern }, async ({ labels, details }) => {
      const answer = await next();
      labels.status = answer.status;
      Object.assign(details, about);
      return answer;
    }, options);
  };
}

export const requestId: Middleware = async (exchange, next) => {
  const answer = await next();
  answer.headers["x-request-id"] = exchange.id;
  return answer;
};

const REFUSED_STATUSES = [401, 403, 429];

/**
 * One line a request. It names the pattern and not the URL, whose query may hold a secret; who called and about what, by
 * id; and the address of who was turned away, for a person who wants to see an attack.
 */
export const accessLog: Middleware = async ({ request, route, log, ip, about }, next) => {
  const began = performance.now();
  const answer = await next();
  const { status } = answer;
  const level = status >= 500 ? "warn" : route.endpoint?.probe ? "debug" : "info";
  const ms = Math.round((performance.now() - began) * 10) / 10;
  log[level](`${request.method.slice(0, 20)} ${route.pattern}`, {
    status,
    ms,
    ...about,
    ...(REFUSED_STATUSES.includes(status) && { ip }),
  });
  return answer;
};

/** The headers that keep a browser from making more of an answer than it is. A page may bring its own policy. */
export function securityHeaders(publicUrl: URL): Middleware {
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
  return async (_, next) => {
    const answer = await next();
    return { ...answer, headers: { ...usual, ...answer.headers } };
  };
}

/** Says what the route says in every answer: also in one that is made before its turn, or when its time is over. */
export const routeHeaders: Middleware = async ({ route }, next) => {
  const answer = await next();
  for (const [name, value] of route.headers) appendHeader(answer.headers, name, value);
  return answer;
};

/** Answers what the rest of the list throws: with a page where people call, else with JSON. */
export const renderErrors: Middleware = async (exchange, next) => {
  try {
    return await next();
  } catch (error) {
    const { request, url, route } = exchange;
    const { errorPage, negotiatedErrorPage } = route.endpoint ??
      { errorPage: undefined, negotiatedErrorPage: route.negotiatedErrorPage };
    const asksForPage = () => request.headers.get("accept")?.includes("text/html");
    const show = errorPage ?? (negotiatedErrorPage && asksForPage() ? negotiatedErrorPage : undefined);
    const path = hasBody(request.method) ? null : url.pathname + url.search;
    const refused = toErrorResponse(error, exchange, show && ((problem) => show({ ...problem, path })));
    return request.method === "HEAD" ? { ...refused, body: null } : refused;
  }
};

/** Waits for the body: until it is there the request costs nothing but its bytes, and nobody has been let in. */
export const receiveBody: Middleware = async (exchange, next) => {
  await exchange.route.receive(exchange);
  return await next();
};

/** A request counts until its answer is sent; a stream, and what was refused before anybody claimed it, until it begins. */
export const shedLoad: Middleware = async ({ place, sent }, next) => {
  place.enter();
  let streams = false;
  try {
    const answer = await next();
    streams = isStream(answer);
    return answer;
  } finally {
    if (streams || !place.isAssigned) place.release();
    else void sent.then(place.release);
  }
};

/** Gives up on the answer, and on the work for it, when the request's allowance of `ms` is over or the client is gone. */
export function deadline(ms: number): Middleware {
  return async ({ signal, abort, onDisconnect: onGone, allowance }, next) => {
    const onLate = () => {
      const message = `The request took longer than the limit of ${ms / SECOND} s; retry later`;
      abort(new Fault("timeout", "too_slow", message));
    };
    onGone(() => abort(new ClientDisconnected()));
    allowance.start(onLate);
    try {
      return await Promise.race([next(), rejectOnAbort(signal)]);
    } finally {
      allowance.close();
    }
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
