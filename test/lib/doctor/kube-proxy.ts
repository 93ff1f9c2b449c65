/** Proxies requests between doctor and the simulated cluster, records them, and can reply itself. */
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface KubeProxy {
  readonly url: string;
  readonly requests: readonly ProxiedRequest[];
  kubeconfig(): string;
  close(): Promise<void>;
}

/** Intercepts a request. Returns true if it sent the response. */
export type Intercept = (requests: ProxiedRequest, response: ServerResponse) => boolean;

export async function openKubeProxy(
  target: string,
  intercept: Intercept = () => false,
): Promise<KubeProxy> {
  const requests: ProxiedRequest[] = [];
  const server = createServer((incoming, response) => {
    const { pathname: path, searchParams: query } = new URL(incoming.url!, target);
    const proxied = { method: incoming.method!, path, query };
    requests.push(proxied);
    if (intercept(proxied, response)) return void incoming.resume();
    const { host: _, ...headers } = incoming.headers;
    const onward = request(target + incoming.url, { method: proxied.method, headers }, (answer) => {
      // Headers that `intercept` set take precedence.
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
    requests,
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
