/** Serves the simulated API over HTTP. Applies faults to each request, performs the request and records it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getErrorMessage } from "#lib/base/errors.ts";
import { authenticateUser } from "#lib/dev/simulator/access/users.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { handleFaultRequest, handleRecordsRequest } from "#lib/dev/simulator/api/control.ts";
import { requireLocalOrigin } from "#lib/dev/simulator/api/options.ts";
import { type ApiRoute, isServedApiGroup, parseApiRoute, renderDiscovery } from "#lib/dev/simulator/api/route.ts";
import {
  breakConnection,
  createJsonResponse,
  type OutgoingResponse,
  renderFaultResponse,
  sendResponse,
} from "#lib/dev/simulator/api/send.ts";
import { type ApiVerbRequest, performApiRequest } from "#lib/dev/simulator/api/verbs.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { WriteEffect, WriteRecorder } from "#lib/dev/simulator/store/recorder.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

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

export function createApiServer(world: SimulatorContext, recorder: WriteRecorder): Server {
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
  world: SimulatorContext,
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
  world: SimulatorContext,
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
function versionOf(
  { store }: SimulatorContext,
  { kind, namespace, name }: ApiRoute,
  responseBody: Json,
): string | null {
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
