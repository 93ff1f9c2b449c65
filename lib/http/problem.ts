/**
 * Turns what was thrown into what is answered: the only place that knows statuses of faults and the shape of an error.
 *
 * What is not a Fault is a bug. It is logged with everything that is known and answered with the request id alone.
 */
import { Fault, type FaultKind } from "#lib/errors.ts";
import { ClientGone, type Exchange } from "#lib/http/exchange.ts";
import * as v from "valibot";

/** Status and reason phrase (RFC 9110, RFC 6585). */
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
  impossible: [422, "Unprocessable Content"],
  limited: [429, "Too Many Requests"],
  unavailable: [503, "Service Unavailable"],
  timeout: [504, "Gateway Timeout"],
};

/** Seconds after which to try again, where the fault itself does not know better. */
const RETRY_AFTER: { readonly [K in FaultKind]?: number } = { limited: 60, unavailable: 2, timeout: 5 };

/** Nginx's number for it; nobody receives it, but the log shows it. */
const CLIENT_GONE = 499;

/** The body of every error. */
export const Problem = v.object({ statusCode: v.number(), message: v.string(), error: v.string() });
export type Problem = v.InferOutput<typeof Problem>;

export function statusOf(kind: FaultKind): number {
  return STATUS[kind][0];
}

/** The body that a fault of this kind is answered with. */
export function problemOf(kind: FaultKind, message: string): Problem {
  const [statusCode, error] = STATUS[kind];
  return { statusCode, message, error };
}

/** The answer to a request that ended with this error. Never throws. */
export function toResponse(error: unknown, exchange: Pick<Exchange, "id" | "signal" | "log">): Response {
  const { signal } = exchange;
  // An aborted request ends with whatever its work makes of that; the reason is why it was aborted.
  const cause = signal.aborted ? signal.reason : error;
  if (cause instanceof ClientGone) return new Response(null, { status: CLIENT_GONE });
  if (!(cause instanceof Fault)) {
    exchange.log.error("A request failed for a reason that is ours", { error: cause });
    const message = `Something went wrong on our side; the request id is ${exchange.id}`;
    return write(500, { message, error: "Internal Server Error" });
  }
  if (cause.cause !== undefined) {
    exchange.log.info("A request was refused", { code: cause.code, reason: cause.message, cause: cause.cause });
  }
  const [status, phrase] = STATUS[cause.kind];
  const retryAfter = cause.retryAfter ?? RETRY_AFTER[cause.kind];
  return write(status, { message: cause.message, error: phrase }, {
    ...(cause.kind === "unauthenticated" && { "www-authenticate": "Bearer" }),
    ...(retryAfter !== undefined && { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) }),
    ...cause.headers,
  });
}

function write(
  statusCode: number,
  { message, error }: Omit<Problem, "statusCode">,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers({ "cache-control": "no-store" });
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return Response.json({ statusCode, message, error }, { status: statusCode, headers });
}
