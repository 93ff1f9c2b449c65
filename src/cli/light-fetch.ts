/**
 * Replaces `fetch` for client commands on Node, because loading Node's `fetch` takes longer than running most commands.
 * Does not support redirects, cookies or compression, which the API client does not need. Supports the environment
 * variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, like `fetch` in Deno.
 */
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { ProcessVariables } from "#lib/base/environment.ts";

/** Returns a replacement for `fetch` that uses the proxies given in these environment variables. */
export function createLightFetch(env: ProcessVariables): typeof fetch {
  const agents = new Map<string, Agent>();
  const hasProxy = ["http_proxy", "https_proxy"].some((name) => env[name] || env[name.toUpperCase()]);
  const agentFor = (protocol: string): Agent => {
    const { Agent } = builtinFor(protocol),
      agent = agents.get(protocol) ?? new Agent({ keepAlive: true, proxyEnv: env });
    agents.set(protocol, agent);
    return agent;
  };
  const send = (address: string, init: RequestInit) => {
    const { protocol } = new URL(address);
    return sendRequest(address, init, hasProxy ? agentFor(protocol) : undefined);
  };
  return send as unknown as typeof fetch;
}

/** A replacement for `fetch` that uses no proxy. */
export const lightFetch = createLightFetch({});

/** Returns `node:http` or `node:https`. Avoids `import`, which would also load Node's slow WebSocket and `fetch`. */
function builtinFor(protocol: string) {
  return process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
}

async function sendRequest(address: string, init: RequestInit, agent: Agent | undefined): Promise<Response> {
  const url = new URL(address), body = init.body as Blob | undefined, { request } = builtinFor(url.protocol);
  const bytes = body && new Uint8Array(await body.arrayBuffer());
  return await new Promise((resolve, reject) => {
    const { method = "GET", headers, signal } = init as RequestInit & { headers: Record<string, string> };
    const clientRequest: ClientRequest = request(url, { method, headers, ...(agent && { agent }) });
    const end = () => void clientRequest.destroy(signal!.reason);
    signal?.addEventListener("abort", end); // the `signal` option does not abort a sent request
    clientRequest.once("close", () => signal?.removeEventListener("abort", end));
    clientRequest.once("response", (answer) => resolve(responseOf(answer)));
    clientRequest.on("error", (cause) => reject(new TypeError("fetch failed", { cause }))); // as in `fetch`
    clientRequest.end(bytes);
  });
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = answer;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name: string) => headers[name] ?? null, getSetCookie: () => headers["set-cookie"] ?? [] },
    body: { getReader: () => readerOf(answer) },
  } as unknown as Response;
}

/** Returns a stream reader with only the methods that the API client uses, because Node's web streams load slowly. */
function readerOf(answer: IncomingMessage) {
  const chunks = answer[Symbol.asyncIterator]();
  return {
    read: () => chunks.next(),
    cancel() {
      answer.destroy();
      return Promise.resolve();
    },
  };
}
