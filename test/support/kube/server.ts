/** Runs HTTP servers that behave like a broken Kubernetes API server or never respond. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { type AddressInfo, createServer as createSilence, type Socket } from "node:net";

export interface KubeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The number of earlier requests on the same connection. */
  readonly reused: number;
}

export interface KubeServer {
  readonly url: string;
  readonly requests: readonly KubeRequest[];
  /** Returns a kubeconfig for this server, with `cluster` and `user` merged into the sections of the same names. */
  kubeconfig(cluster?: object, user?: object, path?: string): { text: string };
  /** Returns the number of open connections. */
  openConnections(): number;
  close(): Promise<void>;
}

export type KubeHandler = (requests: KubeRequest, response: ServerResponse, socket: Socket) => void;

export async function openKubeServer(handle: KubeHandler, tls?: ServerOptions): Promise<KubeServer> {
  const requests: KubeRequest[] = [];
  const sockets = new Set<Socket>();
  const counts = new WeakMap<Socket, number>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url!, "http://kube");
      const reused = counts.get(request.socket) ?? 0;
      counts.set(request.socket, reused + 1);
      const body = Buffer.concat(chunks).toString();
      const { method = "", headers } = request;
      const one = { method, path: url.pathname, query: url.searchParams, headers, body, reused };
      requests.push(one);
      handle(one, response, request.socket);
    });
  };
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on(tls ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {}); // expected: the client disconnects
  });
  if (tls) server.on("tlsClientError", () => {}); // expected: the client rejects the handshake
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests: requests,
    openConnections: () => sockets.size,
    kubeconfig: (cluster = {}, user, path = "") => kubeconfigOf(url + path, cluster, user),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function kubeconfigOf(server: string, cluster: object = {}, user?: object): { text: string } {
  return {
    text: JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "test",
      clusters: [{ name: "test", cluster: { server, ...cluster } }],
      contexts: [{ name: "test", context: { cluster: "test", ...(user ? { user: "test" } : {}) } }],
      users: user ? [{ name: "test", user }] : [],
    }),
  };
}

export interface SilentServer {
  /** The server's URL. Starts with `https:`, although the server does not support TLS. */
  readonly url: string;
  readonly openConnections: () => number;
  /** Resolves when all clients have disconnected. */
  readonly left: () => Promise<void>;
  close(): Promise<void>;
}

/** Opens a server that accepts every connection but sends nothing, not even a TLS handshake. */
export async function openSilentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  let look = () => {};
  const server = createSilence((socket) => {
    sockets.add(socket);
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    openConnections: () => sockets.size,
    left: () =>
      new Promise((resolve) => {
        look = () => sockets.size === 0 && resolve();
        look();
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export function respondWithError(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  details = {},
): void {
  answer(response, code, { kind: "Status", apiVersion: "v1", status: "Failure", reason, message, details, code });
}
