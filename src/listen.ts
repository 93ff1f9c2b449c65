/** Serves HTTP on a socket: closes connections with incomplete requests, and lets running requests end at shutdown. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type HttpResponse, isBodyStream, toResponse } from "#lib/http/response.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { type ConnectionBounds, openConnections, type RequestTurn } from "./connections.ts";
import { pour } from "./stream-response.ts";
import { answerUnmade, demandPlain, HEADERS_LIMIT, refuseUnread } from "./malformed-requests.ts";

/** The client of a request, and the state of its connection. */
export interface Peer {
  readonly address: string;
  /** Resolves when the answer was sent, or when the connection has closed. */
  readonly sent: Promise<void>;
  /** Calls the listener if the connection closes before the answer is sent. If absent, the request's signal aborts. */
  readonly onGone?: (listener: () => void) => void;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
}

interface ListenBounds extends ConnectionBounds {
  /** Milliseconds that a request may take. */
  readonly requestTimeout: number;
}

export interface Listening {
  readonly port: number;
  /** Closes each connection after its next answer. The client reconnects, possibly to another replica. */
  leave(): void;
  /** Stops accepting connections, waits up to `graceMs` for open answers and streams, and cuts the others. */
  close(graceMs: number): Promise<void>;
}

type Fetch = (request: Request, peer: Peer) => Promise<HttpResponse>;

const HEADERS_TIMEOUT = 10 * SECOND;
const KEEP_ALIVE = 65 * SECOND; // longer than the 60 s of load balancers, so that they close first
const CHECK_EVERY = SECOND; // how often Node checks connections for timeouts
const BACKSTOP = 10 * SECOND; // after our own timeout, until Node closes a connection that still sends

export async function listen(fetch: Fetch, { host, port }: ListenAddress, bounds: ListenBounds): Promise<Listening> {
  const connections = openConnections(bounds);
  let leaving = false;

  const turns = new WeakMap<object, RequestTurn>();
  const listener = getRequestListener(async (request, { incoming, outgoing }) => {
    const turn = turns.get(outgoing)!, { sent } = turn;
    turns.delete(outgoing); // minor garbage collections keep the values of a WeakMap, and so the request
    demandPlain(incoming);
    let onGone = () => {};
    void sent.then(() => outgoing.writableEnded || onGone());
    const answer = await fetch(request, {
      address: incoming.socket.remoteAddress ?? "",
      sent,
      onGone: (listener) => void (onGone = listener),
    });
    onGone = () => {}; // otherwise an open stream would keep its request in memory
    if (leaving) answer.headers.connection = "close";
    if (isBodyStream(answer.body)) return pour(answer, answer.body, outgoing as ServerResponse, turn);
    turn.made();
    return toResponse(answer);
  }, { errorHandler: answerUnmade });

  const take = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    connections.take(incoming, outgoing, (turn) => {
      turns.set(outgoing, turn);
      listener(incoming, outgoing);
    });
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT,
    maxHeaderSize: HEADERS_LIMIT,
    requestTimeout: Math.max(bounds.requestTimeout, HEADERS_TIMEOUT) + BACKSTOP,
    keepAliveTimeout: KEEP_ALIVE,
    connectionsCheckingInterval: CHECK_EVERY,
    requireHostHeader: false, // Node's refusal has no body; demandPlain checks the header instead
  }, take);
  server.on("connection", connections.admit);
  server.on("checkExpectation", take); // otherwise Node answers, and the request is not counted
  server.on("clientError", (error, socket) => {
    if (connections.isFree(socket as Socket)) refuseUnread(error, socket);
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject); // ignores later errors, such as a connection that could not be accepted
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    leave: () => void (leaving = true),
    async close(graceMs) {
      leaving = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const over = new AbortController();
      await Promise.race([connections.idle(), sleep(graceMs, over.signal).catch(() => {})]);
      over.abort();
      server.closeAllConnections(); // includes those with incomplete requests, for which Node would wait
      await closed;
      connections.close();
    },
  };
}
