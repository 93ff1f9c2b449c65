/** Serves HTTP on a TCP port. Closes connections with incomplete requests. Waits for running requests at shutdown. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type HttpResponse, isBodyStream, toResponse } from "#lib/http/response.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { type ConnectionLimits, openConnectionLimiter, type RunningRequest } from "./connections.ts";
import { streamBody } from "./stream-response.ts";
import {
  checkRequestHeaders,
  MAX_REQUEST_HEADER_BYTES,
  respondToFailedRequest,
  respondToParserError,
} from "./malformed-requests.ts";

/** The client that sent a request, and the state of its connection. */
export interface RequestClient {
  readonly address: string;
  /** Resolves when the response has been sent, or when the connection has closed. */
  readonly sent: Promise<void>;
  /** Registers a listener that is called if the connection closes early. If absent, the request's signal aborts. */
  readonly onDisconnect?: (listener: () => void) => void;
}

export interface ListenAddress {
  readonly host: string;
  /** The port to listen on. 0 selects a free port. */
  readonly port: number;
}

interface ListenBounds extends ConnectionLimits {
  /** The time limit for each request, in milliseconds. */
  readonly requestTimeout: number;
}

export interface HttpListener {
  readonly port: number;
  /** Closes each connection after its next response. The client then reconnects, possibly to another replica. */
  closeAfterNextAnswer(): void;
  /** Stops accepting connections, waits up to `graceMs` milliseconds for running requests, then closes all sockets. */
  close(graceMs: number): Promise<void>;
}

type RequestHandler = (request: Request, peer: RequestClient) => Promise<HttpResponse>;

const HEADERS_TIMEOUT = 10 * SECOND;
const KEEP_ALIVE = 65 * SECOND; // longer than the usual 60 s of load balancers, so that those close idle ones first
const CHECK_INTERVAL = SECOND; // how often Node checks connections for timeouts
const SENDING_GRACE = 10 * SECOND; // how long after our request timeout Node closes a connection that is still sending

export async function startHttpListener(
  fetch: RequestHandler,
  { host, port }: ListenAddress,
  bounds: ListenBounds,
): Promise<HttpListener> {
  const connections = openConnectionLimiter(bounds);
  let leaving = false;

  const requests = new WeakMap<object, RunningRequest>();
  const listener = getRequestListener(async (request, { incoming, outgoing }) => {
    const turn = requests.get(outgoing)!, { sent } = turn;
    requests.delete(outgoing); // frees memory early: only a major garbage collection clears a WeakMap
    checkRequestHeaders(incoming);
    let onDisconnect = () => {};
    void sent.then(() => outgoing.writableEnded || onDisconnect());
    const answer = await fetch(request, {
      address: incoming.socket.remoteAddress ?? "",
      sent,
      onDisconnect: (listener) => void (onDisconnect = listener),
    });
    onDisconnect = () => {}; // otherwise, an open stream would keep its request in memory
    if (leaving) answer.headers.connection = "close";
    if (isBodyStream(answer.body)) return streamBody(answer, answer.body, outgoing as ServerResponse, turn);
    turn.startReadTimer();
    return toResponse(answer);
  }, { errorHandler: respondToFailedRequest });

  const take = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    connections.enqueue(incoming, outgoing, (turn) => {
      requests.set(outgoing, turn);
      listener(incoming, outgoing);
    });
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT,
    maxHeaderSize: MAX_REQUEST_HEADER_BYTES,
    requestTimeout: Math.max(bounds.requestTimeout, HEADERS_TIMEOUT) + SENDING_GRACE,
    keepAliveTimeout: KEEP_ALIVE,
    connectionsCheckingInterval: CHECK_INTERVAL,
    requireHostHeader: false, // Node's error response has no body; checkRequestHeaders checks the header
  }, take);
  server.on("connection", connections.admit);
  server.on("checkExpectation", take); // otherwise, Node responds without counting the request
  server.on("clientError", (error, socket) => {
    if (connections.isFree(socket as Socket)) respondToParserError(error, socket);
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject); // also ignores errors after startup, such as a failed accept
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    closeAfterNextAnswer: () => void (leaving = true),
    async close(graceMs) {
      leaving = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timeout = new AbortController();
      await Promise.race([connections.idle(), sleep(graceMs, timeout.signal).catch(() => {})]);
      timeout.abort();
      server.closeAllConnections(); // includes connections with incomplete requests, which would delay `closed`
      await closed;
      connections.close();
    },
  };
}
