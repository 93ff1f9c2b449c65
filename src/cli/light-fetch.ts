/**
 * What the client asks with on Node in place of `fetch`, which takes longer to load there than the rest of a command to run.
 * It does what the client needs of that and no more: it follows nothing, keeps nothing, and asks for no compression.
 */
import type { ClientRequest, IncomingMessage } from "node:http";

export const lightFetch = ask as unknown as typeof fetch;

async function ask(address: string, init: RequestInit): Promise<Response> {
  const url = new URL(address), body = init.body as Blob | undefined;
  // To import them would load their WebSocket, and with it the whole of fetch.
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const bytes = body && new Uint8Array(await body.arrayBuffer());
  return await new Promise((resolve, reject) => {
    const { method = "GET", headers, signal } = init as RequestInit & { headers: Record<string, string> };
    const asked: ClientRequest = request(url, { method, headers });
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
