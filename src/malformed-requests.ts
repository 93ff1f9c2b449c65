/**
 * Answers requests that the server cannot handle: the bytes are not HTTP, the headers are too large or incomplete, or
 * the request is ambiguous. The answer is the same JSON as for any other error. Then the connection closes.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { RequestError } from "@hono/node-server";
import { Fault } from "#lib/base/errors.ts";
import { internalProblem, type Problem, problemOf } from "#lib/http/problem.ts";

/** The maximum size of a request's target and headers together, in bytes. */
export const HEADERS_LIMIT = 16 * 1024;

/**
 * Throws an `invalid` fault (`bad_host`) unless the request has one Host header. Throws an `expectation` fault
 * (`bad_expectation`) for an expectation that is not supported.
 */
export function checkRequestHeaders({ headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">): void {
  // With two Host headers, a proxy might use one and this server the other.
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length !== 1) throw new Fault("invalid", "bad_host", "A request must have one Host header");
  if ((headers.expect ?? "100-continue").toLowerCase() !== "100-continue") {
    throw new Fault("expectation", "bad_expectation", "The only supported expectation is 100-continue");
  }
}

/** Returns the answer to a request that failed before the middleware, for example because of an invalid URL. */
export function answerFailedRequest(error: unknown): Response {
  const fault = error instanceof RequestError
    ? new Fault("invalid", "bad_host", "The request target and the Host header must form a valid URL")
    : error;
  const problem = fault instanceof Fault ? problemOf(fault) : internalProblem("An internal error occurred");
  return Response.json(problem, { status: problem.statusCode, headers: { connection: "close" } });
}

/** Writes the answer for a parser error to the socket, and closes it. Only closes a socket that is not writable. */
export function answerParserError(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(formatHttpResponse(problemOf(faultOf(error.code))), () => socket.destroy());
}

function faultOf(code: string | undefined): Fault {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Fault(
        "headers",
        "headers_too_large",
        `The request target and headers must not exceed ${HEADERS_LIMIT} bytes`,
      );
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Fault("unsent", "request_too_slow", "The request took too long to arrive");
    default:
      return new Fault("invalid", "malformed_request", "The request is not valid HTTP");
  }
}

function formatHttpResponse(problem: Problem): string {
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.statusCode} ${problem.error}`,
    "Content-Type: application/json",
    "Cache-Control: no-store",
    `Content-Length: ${new TextEncoder().encode(body).length}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
