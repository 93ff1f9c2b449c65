/**
 * The HTTP side: a plain server that reads a request whole, lets the faults have their way with it, performs it, and
 * remembers what was written.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { messageOf } from "#lib/errors.ts";
import { discover } from "#lib/simulator/api/discovery.ts";
import { answerFaults } from "#lib/simulator/api/faults.ts";
import { readRoute } from "#lib/simulator/api/route.ts";
import { perform } from "#lib/simulator/api/verbs.ts";
import type { Json } from "#lib/simulator/object.ts";
import { Refusal } from "#lib/simulator/refusal.ts";
import type { World } from "#lib/simulator/world.ts";

/** One request that could have changed something. */
export interface Write {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly fieldManager: string | null;
  readonly dryRun: boolean;
  readonly userAgent: string;
  readonly status: number;
}

const LARGEST_BODY = 3 * 1024 * 1024; // what the real server takes
const MOST_WRITES = 20_000;

export function createApi(world: World, writes: Write[]): Server {
  return createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    answer(world, writes, request, response).catch((error) => {
      if (!request.complete) return; // whoever asked left in the middle of it
      world.log.error("The simulated cluster failed", { path: request.url ?? "", error });
      if (response.headersSent) return void response.destroy();
      send(response, 500, new Refusal(500, "InternalError", messageOf(error)).body());
    });
  });
}

async function answer(
  world: World,
  writes: Write[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? "GET", target = request.url ?? "/";
  const url = new URL(target, "http://simulator");
  const text = await readBody(request);
  if (url.pathname.startsWith("/simulator/")) {
    const { status, body } = answerFaults(world.faults, method, url.pathname, text);
    return send(response, status, body);
  }
  const hit = world.faults.hit(method, target);
  if (hit.latency > 0) await new Promise<void>((resolve) => void world.timers.after(hit.latency, resolve));
  const record = (status: number): void => {
    if (method === "GET") return;
    writes.push({
      at: new Date(world.timers.now()).toISOString(),
      method,
      path: target,
      fieldManager: url.searchParams.get("fieldManager"),
      dryRun: url.searchParams.getAll("dryRun").includes("All"),
      userAgent: request.headers["user-agent"] ?? "",
      status,
    });
    if (writes.length > MOST_WRITES * 2) writes.splice(0, writes.length - MOST_WRITES);
  };
  if (hit.cut) {
    record(0);
    return void request.socket.destroy();
  }
  if (text === null) {
    return send(response, 413, new Refusal(413, "RequestEntityTooLarge", "the request is too large").body());
  }
  const warnings: string[] = [];
  try {
    if (hit.answer) throw refusalOf(hit.answer.status, hit.answer.retryAfter);
    const found = method === "GET" ? discover(world.kinds, url.pathname) : null;
    if (found) return send(response, 200, found);
    const route = readRoute(world.kinds, url.pathname);
    if (!route) return sendText(response, 404, "404 page not found\n");
    const reply = perform(world, {
      method,
      route,
      query: url.searchParams,
      contentType: request.headers["content-type"] ?? "application/json",
      text,
      agent: (request.headers["user-agent"] ?? "unknown").split(/[\s/]/)[0]!,
      warn: (warning) => void warnings.push(warning),
      response,
    });
    if (reply === undefined) return;
    record(reply.status);
    send(response, reply.status, reply.body, warnings);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    record(error.status);
    for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value as string);
    send(response, error.status, error.body(), warnings);
  }
}

function refusalOf(status: number, retryAfter: number | undefined): Refusal {
  const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
  if (status === 429) {
    const message = "the server has received too many requests and has asked us to try again later";
    return new Refusal(429, "TooManyRequests", message, details, headers);
  }
  if (status === 503) {
    return new Refusal(
      503,
      "ServiceUnavailable",
      "the server is currently unable to handle the request",
      details,
      headers,
    );
  }
  if (status === 504) {
    return new Refusal(504, "Timeout", "request did not complete within the allotted timeout", details, headers);
  }
  return new Refusal(
    status,
    "InternalError",
    "Internal error occurred: the simulated cluster was told to fail",
    details,
    headers,
  );
}

function send(response: ServerResponse, status: number, body: Json, warnings: readonly string[] = []): void {
  if (warnings.length > 0) response.setHeader("warning", warnings.map((text) => `299 - ${JSON.stringify(text)}`));
  const text = JSON.stringify(body) + "\n";
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** null: larger than the server takes. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Uint8Array).length;
    if (length <= LARGEST_BODY) pieces.push(piece as Uint8Array);
  }
  return length > LARGEST_BODY ? null : Buffer.concat(pieces).toString();
}
