/** Simulates the load balancer in front of the replicas: sends each request to the next replica whose /readyz reports
 * ready. By default, never retries a request. With `again`, retries a request without response at the next replica if
 * this is safe: after a refused connection, for a GET, or with an Idempotency-Key. */
import { Agent, createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sleep } from "#lib/base/time.ts";
import { until } from "#test/support/until.ts";

export interface LoadBalancer {
  readonly url: string;
  /** Descriptions of requests to which no replica responded. The clients received a 502. */
  readonly failures: readonly string[];
  /** Resolves once the load balancer sends requests to this URL (if `ready`), or no longer sends requests there. */
  notices(url: string, ready: boolean): Promise<void>;
  close(): Promise<void>;
}

const LOOK_EVERY = 100, PATIENCE = 180_000; // milliseconds

interface Sent {
  readonly answer: IncomingMessage;
  /** The complete response body. Null if the body is a stream of unknown length. */
  readonly body: Uint8Array | null;
}

/** Starts the load balancer. `addresses` returns the URLs of all current replicas, including those not ready. */
export async function openLoadBalancer(
  addresses: () => readonly string[],
  { again = false }: { readonly again?: boolean } = {},
): Promise<LoadBalancer> {
  const ready = new Set<string>(), failures: string[] = [], agent = new Agent({ keepAlive: true });
  // A replica that has ended never returns, but another process of the test run may get its port.
  const known = new Set<string>(), ended = new Set<string>();
  const over = new AbortController();
  let turn = 0;

  async function look(): Promise<void> {
    while (!over.signal.aborted) {
      const current = addresses().filter((url) => !ended.has(url));
      for (const url of ready) if (!current.includes(url)) ready.delete(url);
      await Promise.all(current.map(async (url) => {
        const answer = await fetch(`${url}/api/readyz`, { signal: AbortSignal.timeout(2000) }).catch((error) => {
          if (known.has(url) && isRefused(error)) ended.add(url);
          return null;
        });
        await answer?.body?.cancel();
        if (answer?.ok) known.add(url), ready.add(url);
        else ready.delete(url);
      }));
      await sleep(LOOK_EVERY, over.signal).catch(() => {});
    }
  }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const attempted = new Set<string>(), harmless = incoming.method === "GET" || "idempotency-key" in incoming.headers;
    let last = "no replica is ready";
    for (;;) {
      const left = [...ready].filter((url) => !attempted.has(url)), url = left[turn++ % left.length];
      if (!url) break;
      attempted.add(url);
      try {
        return void give(await forward(url, incoming, Buffer.concat(chunks), outgoing), outgoing);
      } catch (error) {
        last = `${url}: ${error}`;
        const unsent = (error as { code?: string }).code === "ECONNREFUSED";
        if (!again || !unsent && !harmless) break;
      }
    }
    failures.push(`${incoming.method} ${incoming.url}: ${last}`);
    outgoing.writeHead(502, { "retry-after": "1" }).end("{}");
  }

  function forward(url: string, incoming: IncomingMessage, body: Uint8Array, outgoing: ServerResponse): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const { method = "GET", url: path, headers } = incoming;
      const request = send(new URL(path!, url), { method, headers: { ...headers, connection: "keep-alive" }, agent });
      outgoing.on("close", () => request.destroy());
      request.on("error", reject).on("response", (answer) => {
        if (answer.headers["content-type"]?.startsWith("text/event-stream")) return resolve({ answer, body: null });
        const parts: Uint8Array[] = [];
        answer.on("data", (part) => parts.push(part)).on("error", reject);
        answer.on("close", () => answer.complete || reject(new Error("The answer was cut off")));
        answer.on("end", () => resolve({ answer, body: Buffer.concat(parts) }));
      });
      request.end(body);
    });
  }

  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing).catch(() => outgoing.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const looking = look();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    notices: async (url, wanted) => void await until(() => ready.has(url) === wanted, PATIENCE),
    async close() {
      over.abort();
      await looking;
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Whether nobody listens at the address. Node reports this in the cause of the error, and Deno in the message. */
function isRefused(error: Error): boolean {
  return /ECONNREFUSED|Connection refused/.test(
    `${error.message} ${(error.cause as { code?: string } | undefined)?.code}`,
  );
}

function give({ answer, body }: Sent, outgoing: ServerResponse): void {
  const { connection: _, "transfer-encoding": __, "keep-alive": ___, ...headers } = answer.headers;
  outgoing.writeHead(answer.statusCode!, headers);
  if (body) return void outgoing.end(body);
  outgoing.flushHeaders();
  answer.on("error", () => outgoing.destroy()).on("close", () => answer.complete || outgoing.destroy());
  answer.pipe(outgoing);
}
