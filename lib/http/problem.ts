/**
 * Turns errors into HTTP responses. Any error that is not a Fault is treated as a bug: the error is logged, and the
 * response contains only the request ID.
 */
import { Fault, type FaultKind } from "#lib/base/errors.ts";
import type { HttpResponse } from "#lib/http/response.ts";
import { ClientDisconnected, type HttpExchange } from "#lib/http/exchange.ts";
import { buildContentSecurityPolicy, type HtmlPage, renderPage } from "#lib/http/page.ts";
import * as v from "valibot";

/** The HTTP status and reason phrase for each kind of fault (RFC 9110, RFC 6585). */
const STATUS: Readonly<Record<FaultKind, readonly [status: number, error: string]>> = {
  invalid: [400, "Bad Request"],
  unauthenticated: [401, "Unauthorized"],
  forbidden: [403, "Forbidden"],
  missing: [404, "Not Found"],
  method: [405, "Method Not Allowed"],
  unsent: [408, "Request Timeout"],
  conflict: [409, "Conflict"],
  too_large: [413, "Content Too Large"],
  media_type: [415, "Unsupported Media Type"],
  expectation: [417, "Expectation Failed"],
  impossible: [422, "Unprocessable Content"],
  limited: [429, "Too Many Requests"],
  headers: [431, "Request Header Fields Too Large"],
  unavailable: [503, "Service Unavailable"],
  timeout: [504, "Gateway Timeout"],
};

/** The default value of Retry-After for each kind of fault, in seconds. */
const RETRY_AFTER: { readonly [K in FaultKind]?: number } = { limited: 60, unavailable: 2, timeout: 5 };

/** The status that is logged when a client disconnects, as nginx does. It is never sent. */
const CLIENT_GONE = 499;

export const INTERNAL_ERROR = "internal_error";

/** The JSON body of every error response. */
export const Problem = v.object({ statusCode: v.number(), code: v.string(), message: v.string(), error: v.string() });
export type Problem = v.InferOutput<typeof Problem>;

export function getHttpStatus(kind: FaultKind): number {
  return STATUS[kind][0];
}

/** Returns the response body for a fault. */
export function toProblem({ kind, code, message }: Pick<Fault, "kind" | "code" | "message">): Problem {
  const [statusCode, error] = STATUS[kind];
  return { statusCode, code, message, error };
}

/** Returns the response body for an internal error. */
export function buildInternalProblem(message: string): Problem {
  return { statusCode: 500, code: INTERNAL_ERROR, message, error: "Internal Server Error" };
}

type RenderErrorPage = (problem: Problem) => HtmlPage;

/** Returns the response for any error that a request causes. Never throws. */
export function toErrorResponse(
  error: unknown,
  exchange: Pick<HttpExchange, "id" | "signal" | "log" | "contextIds">,
  show?: RenderErrorPage,
): HttpResponse {
  const { signal } = exchange;
  // If the request was aborted, reports the abort reason instead of the error that the abort caused.
  const cause = signal.aborted ? signal.reason : error;
  if (cause instanceof ClientDisconnected) return { status: CLIENT_GONE, headers: {}, body: null };
  if (!(cause instanceof Fault)) {
    exchange.log.error("A request failed with an internal error", { error: cause });
    return write(buildInternalProblem(`An internal error occurred; the request ID is ${exchange.id}`), {}, show);
  }
  exchange.contextIds.refusal = cause.code;
  if (cause.cause !== undefined) {
    exchange.log.info("A request was refused", { code: cause.code, reason: cause.message, cause: cause.cause });
  }
  return write(toProblem(cause), buildErrorHeaders(cause), show);
}

/** Returns the response headers for a fault, such as Retry-After. */
export function buildErrorHeaders({ kind, retryAfter = RETRY_AFTER[kind], headers }: Fault): Record<string, string> {
  return {
    ...(kind === "unauthenticated" && { "www-authenticate": "Bearer" }),
    ...(retryAfter !== undefined && { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) }),
    ...headers,
  };
}

function write(
  problem: Problem,
  more: Readonly<Record<string, string>>,
  show: RenderErrorPage | undefined,
): HttpResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-store", ...more };
  if (!show) return { status: problem.statusCode, headers, body: JSON.stringify(problem) };
  const page = show(problem), policy = buildContentSecurityPolicy(page);
  return {
    status: problem.statusCode,
    headers: { ...headers, "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
    body: renderPage(page),
  };
}
