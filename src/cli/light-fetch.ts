/**
 * Replaces `fetch` for commands on Node, where it takes longer to load than the rest of a command takes to run. It does what
 * the client needs and no more: it follows no redirect, keeps no cookie, and asks for no compression. It honours
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY, as `fetch` does on Deno.
 */
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import type { ProcessVariables } from "#lib/base/environment.ts";

/** With the proxies that these variables name. */
export function lightFetchWith(env: ProcessVariables): typeof fetch {
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
    return ask(address, init, hasProxy ? agentFor(protocol) : undefined);
  };
  return send as unknown as typeof fetch;
}

/** Without any proxy. */
export const lightFetch = lightFetchWith({});

/** To import them would load their WebSocket, and with it the whole of fetch. */
function builtinFor(protocol: string) {
  return process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");
}

async function ask(address: string, init: RequestInit, agent: Agent | undefined): Promise<Response> {
  const url = new URL(address), body = init.body as Blob | undefined, { request } = builtinFor(url.protocol);
  const bytes = body && new Uint8Array(await body.arrayBuffer());
  return await new Promise((resolve, reject) => {
    const { method = "GET", headers, signal } = init as RequestInit & { headers: Record<string, string> };
    const asked: ClientRequest = request(url, { method, headers, ...(agent && { agent }) });
    const end = () => void asked.destroy(signal!.reason);
    signal?.addEventListener("abort", end); // as an option, it would end nothing once the request is sent
    asked.once("close", () => signal?.removeEventListener("abort", end));
    asked.once("response", (answer) => resolve(responseOf(answer)));
    asked.on("error", (cause) => reject(new TypeError("fetch failed", { cause }))); // as fetch says it
    asked.end(bytes);
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

/** What the client needs of a reader. A web stream around the answer would take milliseconds to load. */
function readerOf(answer: IncomingMessage) {
  const pieces = answer[Symbol.asyncIterator]();
  return {
    read: () => pieces.next(),
    cancel() {
      answer.destroy();
      return Promise.resolve();
    },
  };
}
