/**
 * One exchange with the payment provider over node:http or node:https: what its package speaks through, on both runtimes.
 *
 * Not the package's own clients: they cannot be called off, and each runtime would get another one. Not kept connections:
 * the server may have closed one already, and Deno's client then sends a POST again without telling; calls are few.
 */
import http from "node:http";
import https from "node:https";
import type { Stripe } from "stripe";
import { messageOf } from "#lib/base/errors.ts";
import { PaymentError } from "#lib/drivers/payments/error.ts";

interface WireOptions {
  /** Where the API is; its path goes before every call's. */
  readonly base: URL;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole answer. */
  readonly deadline: number;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** The most of a body that is read. A hundred subscriptions with their invoices stay far below. */
const BODY_MOST = 16 * 2 ** 20;

type HttpClient = InstanceType<typeof Stripe.HttpClient>;
type Headers = Parameters<HttpClient["makeRequest"]>[4];

/** For `new Stripe(…, {httpClient})`. Whatever it fails with is a PaymentError, or the signal's reason. */
export function openWire(options: WireOptions): HttpClient {
  return {
    getClientName: () => "node",
    async makeRequest(_host, _port, path, method, headers, body) {
      const { base } = options;
      const url = new URL(base.origin + base.pathname.replace(/\/$/, "") + path);
      const doing = `${method} ${url.host}${url.pathname}`;
      const answer = await exchange({ ...options, url, doing, method, headers, body });
      const parsed = parse(answer, doing);
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => answer.headers,
        getRawResponse: () => ({}),
        toStream: () => {
          throw new TypeError("Nothing is streamed");
        },
        toJSON: () => Promise.resolve(parsed),
      };
    },
  };
}

interface Outgoing extends WireOptions {
  readonly url: URL;
  readonly doing: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
}

function exchange(outgoing: Outgoing): Promise<Answer> {
  const { doing, method, body, signal, deadline } = outgoing;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  signal.throwIfAborted();
  const request = begin(outgoing);
  const stop = (reason: unknown) => {
    reject(reason);
    request.destroy();
  };
  const lose = (cause: unknown) => stop(lost(doing, messageOf(cause)));
  const timer = setTimeout(() => {
    stop(new PaymentError("deadline", `${doing} took over ${deadline} ms`, { transient: true }));
  }, deadline);
  const onAbort = () => stop(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  request.on("error", lose);
  request.on("close", () => lose("the connection was closed without an answer"));
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    lose("the server wants to speak another protocol");
  });
  request.on("response", (response) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    response.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      if ((size += chunk.byteLength) > BODY_MOST) lose(`the answer is over ${BODY_MOST} bytes`);
    });
    response.on("error", lose);
    response.on("close", () => lose("the connection was closed within the answer"));
    response.on("end", () => {
      if (!response.complete) return lose("the connection was closed within the answer");
      resolve({ status: response.statusCode!, headers: plain(response.headers), body: Buffer.concat(chunks) });
    });
  });
  request.end(method === "GET" || method === "DELETE" ? undefined : body ?? "");
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}

/** Throws for a key that cannot be a header, as one with a line break in it. */
function begin({ url, method, headers, doing }: Outgoing): http.ClientRequest {
  try {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return (url.protocol === "https:" ? https : http).request(url, { method, headers: sent, agent: false });
  } catch {
    const hint = "Check STRIPE_SECRET_KEY: it has a character in it that no key has.";
    throw new PaymentError("unsendable", `${doing} cannot be sent`, { transient: true, hint });
  }
}

/** What is no object in JSON comes from something between us and the provider, which may pass. */
function parse({ status, body }: Answer, doing: string): object {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body));
    const good = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    if (good && (status < 300 || "error" in parsed)) return parsed;
  } catch {
    // It is no JSON at all, which is told in the same words.
  }
  throw new PaymentError("bad_answer", `${doing} was answered with ${status} and nothing that the provider would say`, {
    transient: true,
    hint: "Check STRIPE_API_BASE, and what stands between here and there.",
  });
}

function lost(doing: string, words: string): PaymentError {
  return new PaymentError("unreachable", `${doing}: ${words || "the connection was lost"}`, { transient: true });
}

function plain(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
