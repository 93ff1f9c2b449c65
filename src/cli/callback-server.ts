/** Receives the answer of the browser at `http://127.0.0.1:PORT/callback`, after the user has decided about a sign-in. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface CallbackServer {
  readonly port: number;
  /** The code, or null if the user denied the sign-in. */
  readonly code: Promise<string | null>;
  close(): void;
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Wheelwright</title>
<body style="font:1rem/1.6 system-ui;margin:4rem auto;max-width:30rem;color-scheme:light dark">
<h1>Continue in the terminal</h1><p>You can close this page.</p></body></html>`;
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "connection": "close",
};

/** Waits on a free port of 127.0.0.1. Accepts one answer with the right `state`, and refuses all other requests. */
export async function openCallbackServer(state: string): Promise<CallbackServer> {
  const { promise: code, resolve } = Promise.withResolvers<string | null>();
  // `import` would also load Node's slow WebSocket and `fetch`, for every command.
  const server = process.getBuiltinModule("node:http").createServer((request, response) => {
    const answer = readAnswer(request, state, (server.address() as AddressInfo).port);
    if (answer === undefined) return refuse(response);
    response.writeHead(200, HEADERS).end(PAGE);
    resolve(answer);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(0, "127.0.0.1", listening);
  });
  return {
    port: (server.address() as AddressInfo).port,
    code,
    close() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

/** Returns the code, null for a denial, or undefined for a request that is not the browser's answer. */
function readAnswer({ method, url = "", headers }: IncomingMessage, state: string, port: number) {
  if (method !== "GET" || headers.host !== `127.0.0.1:${port}`) return undefined;
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  if (pathname !== "/callback" || searchParams.get("state") !== state) return undefined;
  return searchParams.get("code") ?? (searchParams.has("error") ? null : undefined);
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, { ...HEADERS, "content-type": "text/plain" }).end("Not found\n");
}
