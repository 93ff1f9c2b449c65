/**
 * What is under way on each connection, and how much of it there may be.
 *
 * HTTP lets a client send the next requests before it has read an answer. Each of them costs memory from then on, and
 * none costs the client anything. So a connection has a few requests at work and a few that wait; one that sends more is
 * cut, and so is one that does not take what it asked for. A network has a share of the connections.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "#lib/base/limits/address.ts";
import { SECOND } from "#lib/base/time.ts";

export interface ConnectionBounds {
  /** Connections at once. */
  readonly most: number;
  /** Whether many people may come from this address: a proxy's is not bounded by a share. */
  readonly isProxy?: (address: string) => boolean;
  /** Milliseconds in which an answer must be taken; a large one has longer. */
  readonly patience?: number;
  /** Milliseconds between two looks at what is not taken. */
  readonly lookEvery?: number;
}

/** One request on its connection. */
export interface RequestTurn {
  /** Settles when the answer is sent, or can no longer be. */
  readonly sent: Promise<void>;
  /** The answer is there; from now on the client has to take it. */
  made(): void;
  /** It has taken all that there is so far; more may come. */
  taken(): void;
}

interface Connections {
  /** Counts the connection; cuts it when there are too many. */
  admit(socket: Socket): void;
  /** Begins the work for a request as soon as its connection has room. */
  take(incoming: IncomingMessage, outgoing: ServerResponse, work: (turn: RequestTurn) => void): void;
  /** Whether what is written to it now would be read as the answer to what came last, and as no other's. */
  isFree(socket: Socket): boolean;
  /** Resolves as soon as nothing is under way. */
  idle(): Promise<void>;
  close(): void;
}

const AT_WORK = 8, WAITING = 32; // requests of one connection
const UNSENT = 2 ** 20; // bytes of answers that wait to be taken: while there are more, the next request waits
const PATIENCE = 30 * SECOND;
const LEAST_RATE = 32 * 1024; // bytes a second that a client takes of a large answer
const SHARE = 4; // a network has one part in so many of the connections

interface Answer {
  readonly outgoing: ServerResponse;
  madeAt: number | null;
}

interface Connection {
  readonly socket: Socket;
  /** In the order in which they came, which is the order in which they are answered. */
  readonly working: Set<Answer>;
  readonly waiting: (() => void)[];
  /** When the last answer was taken. */
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
      if (first.outgoing.writableEnded) first.madeAt ??= performance.now(); // what was refused before it was a request
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
    socket.on("close", end); // not every runtime closes the answers that stand behind the first one
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
      if (socket.destroyed) return; // it came in one piece with the request that was one too many
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
      // The one under way is it itself, as long as its own body is not through.
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
