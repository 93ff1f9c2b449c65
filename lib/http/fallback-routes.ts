/** Builds routes for requests that have no endpoint: OPTIONS, unsupported methods and unknown paths. */
import { Fault } from "#lib/base/errors.ts";
import { HTTP_METHODS, type RouteModule } from "#lib/http/endpoint.ts";
import type { Route } from "#lib/http/exchange.ts";

/** Returns a route that answers OPTIONS with the methods that the path supports. */
export function buildOptionsRoute(pattern: string, module: RouteModule): Route {
  const respond = () => Promise.resolve({ status: 204, headers: { allow: allowedMethods(module) }, body: null });
  return { pattern, endpoint: null, headers: [], receive: receiveNothing, respond };
}

export function createMethodNotAllowedFault(method: string, module: RouteModule): Fault {
  const allow = allowedMethods(module);
  const message = `${method.slice(0, 20)} is not supported; this path supports ${allow}`;
  return new Fault("method", "wrong_method", message, { headers: { allow } });
}

function allowedMethods(module: RouteModule): string {
  const methods = HTTP_METHODS.filter((method) => module[method]);
  return [...methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]), "OPTIONS"].join(", ");
}

/** Ignores the request body, because requests without an endpoint need no body. */
function receiveNothing(): Promise<void> {
  return Promise.resolve();
}

export function createRouteNotFoundFault(): Fault {
  return new Fault("missing", "no_route", "No endpoint at this path");
}

export function buildRefusingRoute(pattern: string, fault: () => Fault): Route {
  return {
    pattern,
    endpoint: null,
    headers: [],
    receive: receiveNothing,
    respond: () => Promise.reject(fault()),
  };
}
