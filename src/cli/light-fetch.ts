/**
 * What the client asks with on Node in place of `fetch`, which takes longer to load there than the rest of a command to run.
 * It does what the client needs of that and no more: it follows nothing, keeps nothing, and asks for no compression.
 */
import type { ClientRequest, IncomingMessage } from "node:http";
import { Readable } from "node:stream";

export const lightFetch = ask as unknown as typeof fetch;

async function ask(address: string, init: RequestInit): Promise<Response> {
  const url = new URL(address), body = init.body as Blob | undefined;
  // To import them would load their WebSocket, and with it the whole of fetch.
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const bytes = body && new Uint8Array(await body.arrayBuffer());
  return await new Promise((resolve, reject) => {
    const { method = "GET", headers, signal } = init as RequestInit & { headers: Record<string, string> };
    const asked: ClientRequest = request(url, { method, headers, ...(signal && { signal }) });
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
    async text() {
      let text = "";
      for await (const piece of answer.setEncoding("utf8")) text += piece;
      return text;
    },
    get body() {
      return Readable.toWeb(answer);
    },
  } as unknown as Response;
}
