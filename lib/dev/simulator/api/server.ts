/** Serves the simulated API over HTTP. Performs and records requests. A fault can replace, delay or cut off a response. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getErrorMessage } from "#lib/base/errors.ts";
import { authenticateUser } from "#lib/dev/simulator/access/rbac.ts";
import { OBJECT_MODIFIED_MESSAGE, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { handleFaultRequest, handleRecordsRequest } from "#lib/dev/simulator/api/control.ts";
import { requireLocalOrigin } from "#lib/dev/simulator/api/options.ts";
import { type ApiRoute, isServedApiGroup, parseApiRoute, renderDiscovery } from "#lib/dev/simulator/api/route.ts";
import { performApiRequest } from "#lib/dev/simulator/api/verbs.ts";
import { type ApiVerbRequest } from "#lib/dev/simulator/api/verb-request.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { WriteEffect, WriteRecorder } from "#lib/dev/simulator/store/recorder.ts";
import type { Simulation, SimulatorTimers } from "#lib/dev/simulator/simulation.ts";
import type { RequestFaults, SimulatorFault } from "#lib/dev/simulator/faults.ts";

const LARGEST_BODY = 3 * 1024 * 1024; // bytes; the limit of a real API server
const TOO_LARGE: OutgoingResponse = createJsonResponse(
  413,
  new StatusError(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728").body(),
);
const NO_KIND = createJsonResponse(
  404,
  new StatusError(404, "NotFound", "the server could not find the requested resource", {}).body(),
);
const NO_PAGE: OutgoingResponse = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8" },
  text: "404 page not found\n",
};

export function createApiServer(world: Simulation, recorder: WriteRecorder): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handleRequest(world, recorder, request, response).catch((error) => {
      if (!request.complete) return; // the client disconnected while sending the request
      if (error instanceof StatusError) return sendResponse(response, createJsonResponse(error.status, error.body()));
      world.log.error("The simulated cluster failed to handle a request", { path: request.url ?? "", error });
      if (response.headersSent) return void response.destroy();
      sendResponse(
        response,
        createJsonResponse(500, new StatusError(500, "InternalError", getErrorMessage(error)).body()),
      );
    });
  });
}

async function handleRequest(
  world: Simulation,
  recorder: WriteRecorder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? "GET", target = request.url ?? "/";
  const url = new URL(target, "http://simulator");
  const text = await readBody(request);
  requireLocalOrigin(request);
  if (url.pathname.startsWith("/simulator/")) {
    const { status, body } = handleRecordsRequest(recorder, method, url) ??
      handleFaultRequest(world.faults, method, url.pathname, text);
    return sendResponse(response, createJsonResponse(status, body));
  }
  const hit = world.faults.applyTo(method, target);
  if (hit.latency > 0) await new Promise<void>((resolve) => void world.timers.after(hit.latency, resolve));
  const userAgent = request.headers["user-agent"] ?? "";
  const record = (status: number, effect?: WriteEffect): void =>
    recorder.note({ method, target, text: text ?? "", userAgent }, status, effect);
  if (hit.connection?.at === "received") {
    record(0);
    return breakConnection(response, hit.connection.how);
  }
  if (hit.answer) {
    record(hit.answer.status);
    return sendResponse(response, renderFaultResponse(hit.answer), hit, world.timers);
  }
  const reply = text === null ? { outgoing: TOO_LARGE } : performRequest(world, recorder, url, {
    method,
    user: authenticateUser(world, request),
    query: url.searchParams,
    contentType: request.headers["content-type"] ?? "",
    accept: request.headers.accept,
    text,
    agent: (userAgent || "unknown").split(/[\s/]/)[0]!,
    response,
  });
  if (reply === undefined) return;
  record(reply.outgoing.status, reply.effect);
  sendResponse(response, reply.outgoing, hit, world.timers);
}

interface RequestResult {
  readonly outgoing: OutgoingResponse;
  readonly effect?: WriteEffect;
}

/** Performs a request. Returns undefined if the request handler streams its own response. */
function performRequest(
  world: Simulation,
  recorder: WriteRecorder,
  url: URL,
  call: Omit<ApiVerbRequest, "route" | "warn">,
): RequestResult | undefined {
  const warnings: string[] = [];
  const warningHeader = () =>
    warnings.length > 0 ? { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) } : undefined;
  try {
    const discovery = call.method === "GET" ? renderDiscovery(world.kinds, url.pathname) : null;
    if (discovery) return { outgoing: createJsonResponse(200, discovery) };
    const route = parseApiRoute(world.kinds, url.pathname);
    if (!route) return { outgoing: isServedApiGroup(world.kinds, url.pathname) ? NO_KIND : NO_PAGE };
    const before = versionOf(world, route, null);
    const verbCall = { ...call, route, warn: (warning: string) => void warnings.push(warning) };
    const reply = recorder.during(() => performApiRequest(world, verbCall));
    if (reply === undefined) return undefined;
    const resourceVersion = versionOf(world, route, reply.body);
    return {
      outgoing: createJsonResponse(reply.status, reply.body, warningHeader()),
      effect: { changed: resourceVersion !== before, resourceVersion },
    };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { outgoing: createJsonResponse(error.status, error.body(), { ...error.headers, ...warningHeader() }) };
  }
}

/** Returns the resourceVersion of the object in the path or of the newly created object; null if it does not exist. */
function versionOf({ store }: Simulation, { kind, namespace, name }: ApiRoute, responseBody: Json): string | null {
  const named: string | undefined = name ??
    (responseBody?.kind === kind.kind ? responseBody.metadata?.name : undefined);
  return named === undefined ? null : store.get(kind.kind, namespace, named)?.metadata.resourceVersion ?? null;
}

/** Returns the request body, or null if it is larger than the API server allows. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Uint8Array).length;
    if (length <= LARGEST_BODY) pieces.push(piece as Uint8Array);
  }
  return length > LARGEST_BODY ? null : Buffer.concat(pieces).toString();
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => error ? reject(error) : resolve());
    server.closeAllConnections();
  });
}

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
  const headers = { ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }), ...answer.headers };
  if (body !== undefined) return { status, headers: { "content-type": "text/html", ...headers }, text: body };
  const details = typeof retryAfter === "number" ? { retryAfterSeconds: retryAfter } : undefined;
  const [reason, message] = STATUS_TEXTS[status] ?? OTHER_STATUS_TEXT;
  return createJsonResponse(status, new StatusError(status, reason, message, details).body(), headers);
}
