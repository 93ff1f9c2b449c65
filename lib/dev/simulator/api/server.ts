/**
 * Serves the simulated API over HTTP. It reads each request completely, applies the faults, performs the request and
 * records it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { messageOf } from "#lib/base/errors.ts";
import { userOf } from "#lib/dev/simulator/access/users.ts";
import { Refusal } from "#lib/dev/simulator/admission/status-error.ts";
import { answerFaults, answerRecord } from "#lib/dev/simulator/api/control.ts";
import { refuseForeign } from "#lib/dev/simulator/api/options.ts";
import { type ApiRoute, discover, isServed, readRoute } from "#lib/dev/simulator/api/route.ts";
import { end, forcedAnswer, jsonOf, send, type Sending } from "#lib/dev/simulator/api/send.ts";
import { performVerb, type VerbCall } from "#lib/dev/simulator/api/verbs.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { Effect, Recorder } from "#lib/dev/simulator/store/recorder.ts";
import type { World } from "#lib/dev/simulator/world.ts";

const LARGEST_BODY = 3 * 1024 * 1024; // the real server's limit
const TOO_LARGE: Sending = jsonOf(
  413,
  new Refusal(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728").body(),
);
const NO_KIND = jsonOf(
  404,
  new Refusal(404, "NotFound", "the server could not find the requested resource", {}).body(),
);
const NO_PAGE: Sending = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8" },
  text: "404 page not found\n",
};

export function createApi(world: World, recorder: Recorder): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    answer(world, recorder, request, response).catch((error) => {
      if (!request.complete) return; // the client disconnected while sending the request
      if (error instanceof Refusal) return send(response, jsonOf(error.status, error.body()));
      world.log.error("The simulated cluster failed", { path: request.url ?? "", error });
      if (response.headersSent) return void response.destroy();
      send(response, jsonOf(500, new Refusal(500, "InternalError", messageOf(error)).body()));
    });
  });
}

async function answer(
  world: World,
  recorder: Recorder,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? "GET", target = request.url ?? "/";
  const url = new URL(target, "http://simulator");
  const text = await readBody(request);
  refuseForeign(request);
  if (url.pathname.startsWith("/simulator/")) {
    const { status, body } = answerRecord(recorder, method, url) ??
      answerFaults(world.faults, method, url.pathname, text);
    return send(response, jsonOf(status, body));
  }
  const hit = world.faults.hit(method, target);
  if (hit.latency > 0) await new Promise<void>((resolve) => void world.timers.after(hit.latency, resolve));
  const userAgent = request.headers["user-agent"] ?? "";
  const record = (status: number, effect?: Effect): void =>
    recorder.note({ method, target, text: text ?? "", userAgent }, status, effect);
  if (hit.broken?.at === "asked") {
    record(0);
    return end(response, hit.broken.how);
  }
  if (hit.answer) {
    record(hit.answer.status);
    return send(response, forcedAnswer(hit.answer), hit, world.timers);
  }
  const reply = text === null ? { outgoing: TOO_LARGE } : react(world, recorder, url, {
    method,
    user: userOf(world, request),
    query: url.searchParams,
    contentType: request.headers["content-type"] ?? "",
    accept: request.headers.accept,
    text,
    agent: (userAgent || "unknown").split(/[\s/]/)[0]!,
    response,
  });
  if (reply === undefined) return;
  record(reply.outgoing.status, reply.effect);
  send(response, reply.outgoing, hit, world.timers);
}

interface Reaction {
  readonly outgoing: Sending;
  readonly effect?: Effect;
}

/** Performs a request. Returns undefined if the verb streams its own response. */
function react(
  world: World,
  recorder: Recorder,
  url: URL,
  asked: Omit<VerbCall, "route" | "warn">,
): Reaction | undefined {
  const warnings: string[] = [];
  const warned = () =>
    warnings.length > 0 ? { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) } : undefined;
  try {
    const found = asked.method === "GET" ? discover(world.kinds, url.pathname) : null;
    if (found) return { outgoing: jsonOf(200, found) };
    const route = readRoute(world.kinds, url.pathname);
    if (!route) return { outgoing: isServed(world.kinds, url.pathname) ? NO_KIND : NO_PAGE };
    const before = versionOf(world, route, null);
    const whole = { ...asked, route, warn: (warning: string) => void warnings.push(warning) };
    const reply = recorder.during(() => performVerb(world, whole));
    if (reply === undefined) return undefined;
    const resourceVersion = versionOf(world, route, reply.body);
    return {
      outgoing: jsonOf(reply.status, reply.body, warned()),
      effect: { changed: resourceVersion !== before, resourceVersion },
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { outgoing: jsonOf(error.status, error.body(), { ...error.headers, ...warned() }) };
  }
}

/** Returns the resourceVersion of the object in the path, or of the object just created. Null if it does not exist. */
function versionOf({ store }: World, { kind, namespace, name }: ApiRoute, made: Json): string | null {
  const named: string | undefined = name ?? (made?.kind === kind.kind ? made.metadata?.name : undefined);
  return named === undefined ? null : store.get(kind.kind, namespace, named)?.metadata.resourceVersion ?? null;
}

/** Returns the body, or null if it exceeds the server's limit. */
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
