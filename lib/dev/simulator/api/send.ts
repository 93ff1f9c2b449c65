/** Sends responses. A fault can replace, delay, slow down or cut off a response. */
import type { ServerResponse } from "node:http";
import { OBJECT_MODIFIED_MESSAGE, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { RequestFaults, SimulatorFault } from "#lib/dev/simulator/faults.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorTimers } from "#lib/dev/simulator/simulator-context.ts";

export interface OutgoingResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
}

export function createJsonResponse(
  status: number,
  body: Json,
  headers: OutgoingResponse["headers"] = {},
): OutgoingResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, text: JSON.stringify(body) + "\n" };
}

export function sendResponse(
  response: ServerResponse,
  outgoing: OutgoingResponse,
  hit?: RequestFaults,
  timers?: SimulatorTimers,
): void {
  const { status, headers = {}, text } = outgoing;
  const bytes = Buffer.from(text), broken = hit?.connection, trickle = hit?.trickle;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!broken?.chunked) response.setHeader("content-length", bytes.length);
  response.statusCode = status;
  if (broken?.at === "performed") return breakConnection(response, broken.how);
  if (broken) {
    // Sends the headers before the connection breaks. Otherwise, the client would receive nothing at all.
    response.flushHeaders();
    const piece = broken.at === "body" ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes.subarray(0, 0);
    if (piece.length === 0) return void setImmediate(() => breakConnection(response, broken.how));
    return void response.write(piece, () => breakConnection(response, broken.how));
  }
  if (!trickle || !timers) return void response.end(bytes);
  const drop = (from: number): void => {
    if (response.destroyed) return;
    if (from >= bytes.length) return void response.end();
    response.write(bytes.subarray(from, from + trickle.bytes));
    timers.after(trickle.ms, () => drop(from + trickle.bytes));
  };
  response.flushHeaders();
  timers.after(trickle.ms, () => drop(0));
}

/** For `cut`, closes the connection. For `hang`, leaves it open until the client or the simulator closes it. */
export function breakConnection(response: ServerResponse, how: "cut" | "hang"): void {
  if (how === "cut") response.socket?.destroy();
}

const STATUS_TEXTS: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "Unauthorized"],
  403: ["Forbidden", "forbidden by an injected fault"],
  404: ["NotFound", "the server could not find the requested resource"],
  409: ["Conflict", `Operation cannot be fulfilled on the object: ${OBJECT_MODIFIED_MESSAGE}`],
  410: ["Expired", "The provided continue parameter is too old to display a consistent list result."],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "request did not complete within the allotted timeout"],
};
const OTHER_STATUS_TEXT = ["InternalError", "Internal error occurred: injected fault"] as const;

export function renderFaultResponse(answer: Extract<SimulatorFault, { type: "answer" }>): OutgoingResponse {
  const { status, retryAfter, body } = answer;
  const headers = {
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...answer.headers,
  };
  if (body !== undefined) return { status, headers: { "content-type": "text/html", ...headers }, text: body };
  const details = typeof retryAfter === "number" ? { retryAfterSeconds: retryAfter } : undefined;
  const [reason, message] = STATUS_TEXTS[status] ?? OTHER_STATUS_TEXT;
  return createJsonResponse(status, new StatusError(status, reason, message, details).body(), headers);
}
