/** Listens on a socket: what is half sent is cut off, and closing lets what is under way end first. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type HttpResponse, isBodyStream, toResponse } from "#lib/http/response.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { type ConnectionBounds, openConnections, type RequestTurn } from "./connections.ts";
import { pour } from "./pour.ts";
import { answerUnmade, demandPlain, HEADERS_LIMIT, refuseUnread } from "./unread-requests.ts";

/** The other end of a connection. */
export interface Peer {
  readonly address: string;
  /** Settles when the answer is sent, or can no longer be. */
  readonly sent: Promise<void>;
  /** Calls the listener when the connection ends before the answer does; where it is absent, the request's signal tells. */
  readonly onGone?: (listener: () => void) => void;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 for one that is free. */
  readonly port: number;
}

interface ListenBounds extends ConnectionBounds {
  /** Milliseconds that a request may take. */
  readonly requestTimeout: number;
}

export interface Listening {
  readonly port: number;
  /** From now on ends each connection with its next answer, so that its client makes a new one, which may lead elsewhere. */
  leave(): void;
  /** Takes no more connections, waits so many milliseconds for open answers and streams to end, and cuts the rest. */
  close(graceMs: number): Promise<void>;
}

type Fetch = (request: Request, peer: Peer) => Promise<HttpResponse>;

const HEADERS_TIMEOUT = 10 * SECOND;
const KEEP_ALIVE = 65 * SECOND; // longer than load balancers keep theirs (60 s), so that they close first
const CHECK_EVERY = SECOND; // how often Node looks for connections that are over their time
const BACKSTOP = 10 * SECOND; // after our own answer to a slow request, Node ends what then still sends

export async function listen(fetch: Fetch, { host, port }: ListenAddress, bounds: ListenBounds): Promise<Listening> {
  const connections = openConnections(bounds);
  let leaving = false;

  const turns = new WeakMap<object, RequestTurn>();
  const listener = getRequestListener(async (request, { incoming, outgoing }) => {
    const turn = turns.get(outgoing)!, { sent } = turn;
    turns.delete(outgoing); // what a WeakMap holds outlives the short collections, and with it all of a request
    demandPlain(incoming);
    let onGone = () => {};
    void sent.then(() => outgoing.writableEnded || onGone());
    const answer = await fetch(request, {
      address: incoming.socket.remoteAddress ?? "",
      sent,
      onGone: (listener) => void (onGone = listener),
    });
    onGone = () => {}; // for as long as a stream goes on, it would hold all of its request
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
    requireHostHeader: false, // Node would refuse without a word; here it is looked at with all else
  }, take);
  server.on("connection", connections.admit);
  server.on("checkExpectation", take); // else Node would answer by itself, and nothing would count that
  server.on("clientError", (error, socket) => {
    if (connections.isFree(socket as Socket)) refuseUnread(error, socket);
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject); // later, too: of a connection that could not be accepted, which is no reason to end
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
      server.closeAllConnections(); // among them those that have sent half a request, which Node would wait for
      await closed;
      connections.close();
    },
  };
}
