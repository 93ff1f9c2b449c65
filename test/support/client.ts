/** Implements an API client with fetch, JSON and server-sent events, as a user of the API would write it. */
import { createConformanceCheck } from "#test/support/conformance.ts";
import { retryWhileOverloaded } from "#test/support/retry-overload.ts";

export interface ClientResponse {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

export interface ReceivedEvent {
  readonly id: number;
  readonly event: string;
  // deno-lint-ignore no-explicit-any
  readonly data: any;
}

export interface TestClient {
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ClientResponse>;
  /** Yields the hub's events after event number `since`, until the caller stops iterating. */
  events(hub: string, since?: number): AsyncGenerator<ReceivedEvent>;
}

/** Signs in and creates a token with the scope `cli`, as the README describes. */
export async function signIn(url: string, email: string, password: string): Promise<TestClient> {
  const json = { "content-type": "application/json" };
  const credentials = JSON.stringify({ email, password });
  const login = await retryWhileOverloaded(() =>
    fetch(`${url}/api/auth/login`, { method: "POST", headers: json, body: credentials })
  );
  if (!login.ok) throw new Error(`The sign-in request returned ${login.status}: ${await login.text()}`);
  await login.body?.cancel();
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const body = JSON.stringify({ name: "test", scope: "cli" });
  const minted = await retryWhileOverloaded(() =>
    fetch(`${url}/api/auth/tokens`, { method: "POST", headers: { ...json, cookie }, body })
  );
  return withToken(url, (await minted.json()).token);
}

export function withToken(url: string, token: string): TestClient {
  const authorization = `Bearer ${token}`;
  const conform = createConformanceCheck();
  return {
    async send(method, path, body, headers = {}) {
      const type = body !== undefined && { "content-type": "application/json" };
      const reply = await retryWhileOverloaded(() =>
        fetch(url + path, {
          method,
          headers: { authorization, ...type, ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
      );
      const text = await reply.text();
      conform({ method, path, status: reply.status, headers: reply.headers, text });
      return { status: reply.status, headers: reply.headers, body: text && JSON.parse(text) };
    },
    async *events(hub, since) {
      const abort = new AbortController();
      const query = since === undefined ? "" : `?since=${since}`;
      const reply = await retryWhileOverloaded(() =>
        fetch(`${url}/api/federations/${hub}/events${query}`, { headers: { authorization }, signal: abort.signal })
      );
      if (!reply.ok) throw new Error(`The event stream returned ${reply.status}: ${await reply.text()}`);
      const exchange = { method: "GET", path: `/api/federations/${hub}/events`, status: 200, headers: reply.headers };
      conform({ ...exchange, text: null });
      try {
        for await (const frame of parse(reply.body!)) {
          conform({ ...exchange, text: `data: ${JSON.stringify(frame.data)}` });
          yield frame;
        }
      } finally {
        abort.abort();
      }
    },
  };
}

async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) =>
        block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data) yield { id: Number(field("id")), event: field("event")!, data: JSON.parse(data) };
    }
  }
}
