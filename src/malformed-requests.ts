/**
 * Responds to requests that the server cannot handle: the bytes are not HTTP, the headers are too large or incomplete,
 * or the request is ambiguous. Sends the same JSON format as for other errors, then closes the connection.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { RequestError } from "@hono/node-server";
import { Fault } from "#lib/base/errors.ts";
import { buildInternalProblem, type Problem, toProblem } from "#lib/http/problem.ts";

/** The maximum combined size of a request's target and headers, in bytes. */
export const MAX_REQUEST_HEADER_BYTES = 16 * 1024;

/**
 * Throws an `invalid` fault (`bad_host`) unless the request has exactly one Host header. Throws an `expectation` fault
 * (`bad_expectation`) if the request has an Expect header other than 100-continue.
 */
export function checkRequestHeaders({ headers, rawHeaders }: Pick<IncomingMessage, "headers" | "rawHeaders">): void {
  // Rejects multiple Host headers, because a proxy and this server might use different ones.
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length !== 1) throw new Fault("invalid", "bad_host", "A request must have one Host header");
  if ((headers.expect ?? "100-continue").toLowerCase() !== "100-continue") {
    throw new Fault("expectation", "bad_expectation", "The only supported expectation is 100-continue");
  }
}

/** Returns the response to a request that failed before any middleware ran, for example because of an invalid URL. */
export function respondToFailedRequest(error: unknown): Response {
  const fault = error instanceof RequestError
    ? new Fault("invalid", "bad_host", "The request target and the Host header must form a valid URL")
    : error;
  const problem = fault instanceof Fault ? toProblem(fault) : buildInternalProblem("An internal error occurred");
  return Response.json(problem, { status: problem.statusCode, headers: { connection: "close" } });
}

/** Sends an error response for an HTTP parser error, if the socket is still writable. Then closes the socket. */
export function respondToParserError(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(formatHttpResponse(toProblem(faultOf(error.code))), () => socket.destroy());
}

function faultOf(code: string | undefined): Fault {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Fault(
        "headers",
        "headers_too_large",
        `The request target and headers must not exceed ${MAX_REQUEST_HEADER_BYTES} bytes`,
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
