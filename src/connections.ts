/**
 * Limits the number of connections, and the number of requests per connection.
 *
 * An HTTP client can send more requests before it reads the first response, and each request uses server memory. So the
 * server disconnects a client that sends too many requests or does not read its responses. All clients in one network
 * together may use at most a quarter of the connections.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import { SECOND } from "#lib/base/time.ts";

export interface ConnectionLimits {
  /** The maximum number of open connections in total. */
  readonly maxConnections: number;
  /** Whether the address belongs to a proxy. Proxies have no limit per network, because many users share a proxy. */
  readonly isProxy?: (address: string) => boolean;
  /** How long a client may take to read a response, in milliseconds. Clients get more time for large responses. */
  readonly readTimeout?: number;
  /** The interval between checks for responses that clients have not read, in milliseconds. */
  readonly checkInterval?: number;
}

/** Lets a request handler control how long the connection waits for the client to read the response. */
export interface RunningRequest {
  /** Resolves when the response has been sent, or when the connection has closed. */
  readonly sent: Promise<void>;
  /** Starts the timer that limits the client's time to read the response. Call this when the response is ready. */
  startReadTimer(): void;
  /** Stops the read timer until the next `startReadTimer`. Call this when the client has read all sent bytes. */
  stopReadTimer(): void;
}

interface ConnectionLimiter {
  /** Counts a new connection, or closes it if too many connections are open. */
  admit(socket: Socket): void;
  /** Calls `work` once the connection may run another request. Closes the connection if too many requests wait. */
  enqueue(incoming: IncomingMessage, outgoing: ServerResponse, work: (request: RunningRequest) => void): void;
  /** Whether bytes that are written to the socket now would be read as the response to the latest request. */
  isFree(socket: Socket): boolean;
  /** Resolves once no request is running on any connection. */
  idle(): Promise<void>;
  close(): void;
}

const MAX_RUNNING_REQUESTS = 8, MAX_QUEUED_REQUESTS = 32; // maximum numbers of requests per connection
const MAX_UNSENT_BYTES = 2 ** 20; // unread response bytes per connection; above this limit, the next request waits
const READ_TIMEOUT_MS = 30 * SECOND;
const MIN_READ_RATE = 32 * 1024; // bytes per second: the slowest rate at which a client may read a large response
const NETWORK_SHARE = 4; // a network may use a quarter of the connections

interface Answer {
  readonly outgoing: ServerResponse;
  readyAt: number | null;
}

interface Connection {
  readonly socket: Socket;
  /** The responses to running requests, in the order in which the requests arrived, as HTTP requires. */
  readonly running: Set<Answer>;
  readonly queue: (() => void)[];
  /** When the last response was sent, as a `performance.now()` time in milliseconds. */
  lastReadAt: number;
}

export function openConnectionLimiter(
  {
    maxConnections,
    isProxy = () => false,
    readTimeout: readTimeout = READ_TIMEOUT_MS,
    checkInterval: checkInterval = SECOND,
  }: ConnectionLimits,
): ConnectionLimiter {
  const connections = new Map<Socket, Connection>(), networks = new Map<string, number>();
  let running = 0, whenIdle = () => {};
  const timer = setInterval(closeUnreadConnections, checkInterval);
  timer.unref();

  function closeUnreadConnections(): void {
    for (const { socket, running: [first], lastReadAt } of connections.values()) {
      if (!first) continue;
      if (first.outgoing.writableEnded) first.readyAt ??= performance.now(); // sent without calling the handler
      if (first.readyAt === null) continue;
      const bytes = Number(first.outgoing.getHeader("content-length") ?? 0);
      const due = Math.max(first.readyAt, lastReadAt) + readTimeout + bytes / MIN_READ_RATE * SECOND;
      if (performance.now() > due) socket.destroy();
    }
  }

  function connectionOf(socket: Socket): Connection {
    const existing = connections.get(socket);
    if (existing) return existing;
    const connection: Connection = { socket, running: new Set(), queue: [], lastReadAt: 0 };
    connections.set(socket, connection);
    return connection;
  }

  function begin(connection: Connection, outgoing: ServerResponse, work: Work): void {
    const answer: Answer = { outgoing, readyAt: null }, sent = Promise.withResolvers<void>();
    const { socket } = connection;
    connection.running.add(answer);
    running++;
    const end = () => {
      if (!connection.running.delete(answer)) return;
      socket.off("close", end);
      running--;
      connection.lastReadAt = performance.now();
      sent.resolve();
      while (!socket.destroyed && hasCapacity(connection)) {
        const next = connection.queue.shift();
        if (!next) break;
        next();
      }
      if (running === 0) whenIdle();
    };
    outgoing.on("close", end);
    socket.on("close", end); // some runtimes close only the first pending response of a connection
    work({
      sent: sent.promise,
      startReadTimer: () => answer.readyAt = performance.now(),
      stopReadTimer: () => answer.readyAt = null,
    });
  }

  return {
    admit(socket) {
      const address = socket.remoteAddress ?? "", network = getCallerNetwork(address);
      const own = networks.get(network) ?? 0,
        share = isProxy(address) ? Infinity : Math.ceil(maxConnections / NETWORK_SHARE);
      if (connections.size >= maxConnections || own >= share) return void socket.destroy();
      networks.set(network, own + 1);
      connectionOf(socket);
      socket.setMaxListeners(MAX_RUNNING_REQUESTS + 20);
      socket.on("close", () => {
        connections.delete(socket);
        const left = networks.get(network)! - 1;
        if (left > 0) networks.set(network, left);
        else networks.delete(network);
      });
    },
    enqueue(incoming, outgoing, work) {
      const { socket } = incoming;
      if (socket.destroyed) return; // a previous request exceeded the limit and closed the connection
      const connection = connectionOf(socket), { queue: waiting } = connection;
      const start = () => begin(connection, outgoing, work);
      if (waiting.length === 0 && hasCapacity(connection)) start();
      else if (waiting.length < MAX_QUEUED_REQUESTS) waiting.push(start);
      else socket.destroy();
    },
    isFree(socket) {
      const connection = connections.get(socket);
      if (!connection) return false;
      const { running, queue: waiting } = connection, [first] = running;
      if (!first) return true;
      // If only one request runs and its body is incomplete, no later request can have arrived.
      return running.size === 1 && waiting.length === 0 && !first.outgoing.req.complete && !first.outgoing.headersSent;
    },
    async idle() {
      if (running > 0) await new Promise<void>((resolve) => whenIdle = resolve);
    },
    close: () => clearInterval(timer),
  };
}

type Work = (request: RunningRequest) => void;

function hasCapacity({ running }: Connection): boolean {
  let unsent = 0;
  for (const { outgoing } of running) unsent += outgoing.writableLength;
  return running.size < MAX_RUNNING_REQUESTS && unsent < MAX_UNSENT_BYTES;
}
