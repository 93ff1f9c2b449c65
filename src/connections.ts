/**
 * Limits the number of connections, and the requests that each connection may have in progress.
 *
 * HTTP lets a client send more requests before it has read an answer. Each request costs memory here, and nothing to
 * the client. So a connection may have a few running requests and a few waiting ones. A client that sends more is
 * disconnected, and so is a client that does not read its answers. Each network may use only a share of the
 * connections.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "#lib/base/limits/address.ts";
import { SECOND } from "#lib/base/time.ts";

export interface ConnectionBounds {
  /** The maximum number of open connections. */
  readonly most: number;
  /** Whether the address is a proxy's. Many users share a proxy, so the limit per network does not apply. */
  readonly isProxy?: (address: string) => boolean;
  /** Milliseconds that a client has to read an answer. Large answers get more time. */
  readonly patience?: number;
  /** Milliseconds between two checks for unread answers. */
  readonly lookEvery?: number;
}

/** A running request, with the state of its answer. */
export interface RequestTurn {
  /** Resolves when the answer was sent, or when the connection has closed. */
  readonly sent: Promise<void>;
  /** Reports that the answer is ready. This starts the timer for the client to read it. */
  made(): void;
  /** Reports that the client has read everything so far. This stops the timer until the next `made`. */
  taken(): void;
}

interface Connections {
  /** Counts the connection. Closes it if there are too many. */
  admit(socket: Socket): void;
  /** Starts the work as soon as the connection may run another request. Closes it if its queue is full. */
  take(incoming: IncomingMessage, outgoing: ServerResponse, work: (turn: RequestTurn) => void): void;
  /** Whether the client would read bytes written now as the answer to its latest request. */
  isFree(socket: Socket): boolean;
  /** Resolves as soon as no request is running. */
  idle(): Promise<void>;
  close(): void;
}

const AT_WORK = 8, WAITING = 32; // maximum numbers of requests per connection
const UNSENT = 2 ** 20; // bytes of unread answers per connection; above this, the next request waits
const PATIENCE = 30 * SECOND;
const LEAST_RATE = 32 * 1024; // bytes per second: the slowest rate at which a client may read a large answer
const SHARE = 4; // a network may use a quarter of the connections

interface Answer {
  readonly outgoing: ServerResponse;
  madeAt: number | null;
}

interface Connection {
  readonly socket: Socket;
  /** The answers to running requests, in the order of arrival. HTTP requires answers in the same order. */
  readonly working: Set<Answer>;
  readonly waiting: (() => void)[];
  /** When the last answer was sent, by `performance.now()`. */
  takenAt: number;
}

export function openConnections(
  { most, isProxy = () => false, patience = PATIENCE, lookEvery = SECOND }: ConnectionBounds,
): Connections {
  const connections = new Map<Socket, Connection>(), networks = new Map<string, number>();
  let working = 0, whenIdle = () => {};
  const timer = setInterval(cutUntaken, lookEvery);
  timer.unref();

  function cutUntaken(): void {
    for (const { socket, working: [first], takenAt } of connections.values()) {
      if (!first) continue;
      if (first.outgoing.writableEnded) first.madeAt ??= performance.now(); // refused before the request was handled
      if (first.madeAt === null) continue;
      const bytes = Number(first.outgoing.getHeader("content-length") ?? 0);
      const due = Math.max(first.madeAt, takenAt) + patience + bytes / LEAST_RATE * SECOND;
      if (performance.now() > due) socket.destroy();
    }
  }

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known) return known;
    const connection: Connection = { socket, working: new Set(), waiting: [], takenAt: 0 };
    connections.set(socket, connection);
    return connection;
  }

  function begin(connection: Connection, outgoing: ServerResponse, work: Work): void {
    const answer: Answer = { outgoing, madeAt: null }, sent = Promise.withResolvers<void>();
    const { socket } = connection;
    connection.working.add(answer);
    working++;
    const end = () => {
      if (!connection.working.delete(answer)) return;
      socket.off("close", end);
      working--;
      connection.takenAt = performance.now();
      sent.resolve();
      while (!socket.destroyed && hasRoom(connection)) {
        const next = connection.waiting.shift();
        if (!next) break;
        next();
      }
      if (working === 0) whenIdle();
    };
    outgoing.on("close", end);
    socket.on("close", end); // some runtimes close only the first pending answer of a connection
    work({
      sent: sent.promise,
      made: () => answer.madeAt = performance.now(),
      taken: () => answer.madeAt = null,
    });
  }

  return {
    admit(socket) {
      const address = socket.remoteAddress ?? "", network = networkOf(address);
      const own = networks.get(network) ?? 0, share = isProxy(address) ? Infinity : Math.ceil(most / SHARE);
      if (connections.size >= most || own >= share) return void socket.destroy();
      networks.set(network, own + 1);
      connectionOf(socket);
      socket.setMaxListeners(AT_WORK + 20);
      socket.on("close", () => {
        connections.delete(socket);
        const left = networks.get(network)! - 1;
        if (left > 0) networks.set(network, left);
        else networks.delete(network);
      });
    },
    take(incoming, outgoing, work) {
      const { socket } = incoming;
      if (socket.destroyed) return; // it arrived together with the request that exceeded the limit
      const connection = connectionOf(socket), { waiting } = connection;
      const start = () => begin(connection, outgoing, work);
      if (waiting.length === 0 && hasRoom(connection)) start();
      else if (waiting.length < WAITING) waiting.push(start);
      else socket.destroy();
    },
    isFree(socket) {
      const connection = connections.get(socket);
      if (!connection) return false;
      const { working, waiting } = connection, [first] = working;
      if (!first) return true;
      // While the body of the only running request is incomplete, that request is the latest one.
      return working.size === 1 && waiting.length === 0 && !first.outgoing.req.complete && !first.outgoing.headersSent;
    },
    async idle() {
      if (working > 0) await new Promise<void>((resolve) => whenIdle = resolve);
    },
    close: () => clearInterval(timer),
  };
}

type Work = (turn: RequestTurn) => void;

function hasRoom({ working }: Connection): boolean {
  let unsent = 0;
  for (const { outgoing } of working) unsent += outgoing.writableLength;
  return working.size < AT_WORK && unsent < UNSENT;
}
