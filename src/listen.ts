/** Listens on a socket: what is half sent is cut off, and closing lets what is under way end first. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { SECOND, sleep } from "#lib/time.ts";

/** The other end of a connection. */
export interface Peer {
  readonly address: string;
  /** Ends the connection at once. */
  cut(): void;
}

export interface Address {
  readonly host: string;
  /** 0 for one that is free. */
  readonly port: number;
}

export interface Listening {
  readonly port: number;
  /** Takes no more connections, waits so many milliseconds for open answers and streams to end, and cuts the rest. */
  close(graceMs: number): Promise<void>;
}

export type Fetch = (request: Request, peer: Peer) => Promise<Response>;

const HEADERS_TIMEOUT = 10 * SECOND;
const KEEP_ALIVE = 65 * SECOND; // longer than load balancers keep theirs (60 s), so that they close first
const CHECK_EVERY = SECOND; // how often Node looks for connections that are over their time
const BACKSTOP = 10 * SECOND; // after our own answer to a slow request, Node ends what then still sends

export async function listen(fetch: Fetch, { host, port }: Address, requestTimeout: number): Promise<Listening> {
  const open = new Set<ServerResponse>();
  let closing = false, whenIdle = () => {};
  const listener = getRequestListener(async (request, { incoming, outgoing }) => {
    const peer = { address: incoming.socket.remoteAddress ?? "", cut: () => void outgoing.destroy() };
    const response = await fetch(request, peer);
    if (closing) response.headers.set("connection", "close");
    return response;
  }, { errorHandler: refuse });
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: Math.max(requestTimeout, HEADERS_TIMEOUT) + BACKSTOP,
    keepAliveTimeout: KEEP_ALIVE,
    connectionsCheckingInterval: CHECK_EVERY,
  }, (incoming, outgoing) => {
    open.add(outgoing);
    outgoing.once("close", () => {
      open.delete(outgoing);
      if (open.size === 0) whenIdle();
    });
    listener(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const over = new AbortController();
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve;
        if (open.size === 0) resolve();
      });
      await Promise.race([idle, sleep(graceMs, over.signal).catch(() => {})]);
      over.abort();
      server.closeAllConnections(); // among them those that have sent half a request, which Node would wait for
      await closed;
    },
  };
}

/** What cannot even be made a Request of, such as an impossible Host header. */
function refuse(error: unknown): Response {
  const ours = !(error instanceof RequestError);
  const [statusCode, phrase, message] = ours
    ? [500, "Internal Server Error", "Something went wrong on our side"] as const
    : [400, "Bad Request", "The request's target and Host header must make a valid URL"] as const;
  return Response.json({ statusCode, message, error: phrase }, { status: statusCode });
}
