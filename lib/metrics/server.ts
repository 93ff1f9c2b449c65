/**
 * Serves the metrics page on a separate port without authentication, so only Prometheus should have access to the port.
 * The number of connections is limited. Each connection lasts at most ten seconds, for a single request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { SECOND } from "#lib/base/time.ts";

const PATH = "/metrics";
const MAX_CONNECTIONS = 32;
const CONNECTION_LIFETIME = 10 * SECOND;
const CACHE_TIME = SECOND;

export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

export interface MetricsServerOptions {
  readonly host: string;
  /** The port to listen on; 0 to use any free port. */
  readonly port: number;
  /** How long a connection may last, in milliseconds. Defaults to 10 s. */
  readonly connectionLifetime?: number;
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startMetricsServer(
  page: MetricsText,
  { host, port, connectionLifetime: patience = CONNECTION_LIFETIME }: MetricsServerOptions,
): Promise<MetricsServer> {
  const open = new Set<Socket>();
  let cached: { readonly at: number; readonly text: Promise<string> } | null = null;

  function text(): Promise<string> {
    if (cached && performance.now() - cached.at <= CACHE_TIME) return cached.text;
    const text = page.text();
    text.catch(() => cached = null);
    cached = { at: performance.now(), text };
    return text;
  }

  async function answer({ method = "", url = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
    const end = (status: number, headers: Record<string, string>, body: string) => {
      const length = String(Buffer.byteLength(body));
      response.writeHead(status, { ...headers, "content-length": length, connection: "close" });
      response.end(method === "HEAD" ? "" : body);
    };
    const plain = { "content-type": "text/plain; charset=utf-8" };
    if (url.split("?")[0] !== PATH) return end(404, plain, `Not found: the only path on this port is ${PATH}\n`);
    const allow = "GET, HEAD";
    if (!allow.split(", ").includes(method)) return end(405, { ...plain, allow }, `This path supports only ${allow}\n`);
    end(200, { "content-type": page.contentType }, await text());
  }

  const server = createServer({ maxHeaderSize: 8 * 1024, requireHostHeader: false }, (incoming, response) => {
    incoming.on("error", () => {});
    answer(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", (socket: Socket) => {
    if (open.size >= MAX_CONNECTIONS) return void socket.destroy();
    open.add(socket);
    const over = setTimeout(() => socket.destroy(), patience);
    socket.on("error", () => {});
    socket.once("close", () => {
      clearTimeout(over);
      open.delete(socket);
    });
  });
  server.on("clientError", (_, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject); // stays, so that an error in accepting a connection does not end the process
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
