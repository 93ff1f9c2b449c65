/** Proxies requests between doctor and the simulated cluster, records them, and can reply itself. */
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface Between {
  readonly url: string;
  readonly asked: readonly Asked[];
  kubeconfig(): string;
  close(): Promise<void>;
}

/** Returns true if it replies itself. */
export type Intercept = (asked: Asked, response: ServerResponse) => boolean;

export async function openBetween(
  target: string,
  intercept: Intercept = () => false,
): Promise<Between> {
  const asked: Asked[] = [];
  const server = createServer((incoming, response) => {
    const { pathname: path, searchParams: query } = new URL(incoming.url!, target);
    const one = { method: incoming.method!, path, query };
    asked.push(one);
    if (intercept(one, response)) return void incoming.resume();
    const { host: _, ...headers } = incoming.headers;
    const onward = request(target + incoming.url, { method: one.method, headers }, (answer) => {
      // Headers that were set before stay.
      response.writeHead(answer.statusCode!, { ...answer.headers, ...response.getHeaders() });
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    kubeconfig: () => kubeconfigOf(url),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

export function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster: { server } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    users: [{ name: "test", user: {} }],
  });
}
