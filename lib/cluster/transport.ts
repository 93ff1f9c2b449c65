/**
 * One exchange over node:http or node:https: a deadline, abort signals, and an end that is always noticed.
 *
 * Not fetch: its pool keeps connections that the peer has closed, and on Deno an abort may leave it hanging.
 */
import http from "node:http";
import https from "node:https";
import { ClusterError } from "#lib/cluster/cluster.ts";
import type { Answer } from "#lib/cluster/status.ts";

export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Certificates, keys, the agent. */
  readonly options: https.RequestOptions;
  /** Milliseconds for headers and body together; for a stream, for the headers alone. */
  readonly deadline: number;
  readonly signals: readonly AbortSignal[];
}

export interface Stream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Ends with the stream; throws the abort reason, or a transient ClusterError when it was cut off. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Lets go of it: what has not come yet never will. */
  close(): void;
}

/** The most of a body that is read. A list of 500 objects stays far below. */
const BODY_MOST = 64 * 2 ** 20;

/** Sends and reads the whole answer. */
export async function exchange(outgoing: Outgoing): Promise<Answer> {
  const leash = tie(outgoing);
  try {
    const response = await leash.response;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of leash.read(response)) {
      chunks.push(chunk);
      if ((size += chunk.byteLength) > BODY_MOST) throw leash.lost(new Error(`the answer is over ${BODY_MOST} bytes`));
    }
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString("utf8") };
  } finally {
    leash.release();
  }
}

/** Sends, and hands over the body as it comes. */
export async function openStream(outgoing: Outgoing): Promise<Stream> {
  const leash = tie(outgoing);
  try {
    const response = await leash.response;
    leash.stopClock();
    return {
      status: response.statusCode!,
      headers: response.headers,
      chunks: releasing(leash.read(response), leash.release),
      close: leash.release,
    };
  } catch (error) {
    leash.release();
    throw error;
  }
}

interface Leash {
  readonly response: Promise<http.IncomingMessage>;
  read(response: http.IncomingMessage): AsyncGenerator<Uint8Array>;
  lost(cause: unknown): unknown;
  stopClock(): void;
  /** Takes listeners and timer away, and destroys the connection unless the answer was read to its end. */
  release(): void;
}

function tie(outgoing: Outgoing): Leash {
  const { url, method, headers, body, options } = outgoing;
  const doing = `${method} ${url.host}${url.pathname}`;
  const send = url.protocol === "https:" ? https.request : http.request;
  const answered = Promise.withResolvers<http.IncomingMessage>();
  answered.promise.catch(() => {}); // whoever was to wait for it may have been cut off already
  let failure: { reason: unknown } | undefined, ended = false, wake = () => {};

  for (const signal of outgoing.signals) signal.throwIfAborted();
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const request = send(url, { ...options, method, headers: { ...headers, ...length } });
  const lost = (cause: unknown) => lostError(doing, cause);
  const stop = (reason: unknown) => {
    failure ??= { reason };
    answered.reject(failure.reason);
    wake();
    request.destroy();
  };
  const onTime = () =>
    stop(new ClusterError("deadline", `${doing} took over ${outgoing.deadline} ms`, { transient: true }));
  const timer = setTimeout(onTime, outgoing.deadline);
  const ties = outgoing.signals.map((signal) => ({ signal, onAbort: () => stop(signal.reason) }));
  for (const { signal, onAbort } of ties) signal.addEventListener("abort", onAbort, { once: true });
  request.on("error", (error) => stop(lost(error)));
  request.on("response", (response) => answered.resolve(response));
  request.end(body);

  return {
    response: answered.promise,
    lost,
    read: async function* (response) {
      const queue: Uint8Array[] = [];
      response.on("data", (chunk: Uint8Array) => {
        queue.push(chunk);
        response.pause(); // the reader pulls
        wake();
      });
      response.on("end", () => {
        ended = response.complete;
        wake();
      });
      response.on("error", (error) => stop(lost(error)));
      // Whoever closes without having sent everything is not always reported as an error.
      response.on("close", () => ended || stop(lost(new Error("the connection was closed"))));
      for (;;) {
        const chunk = queue.shift();
        if (chunk) yield chunk;
        else if (failure) throw failure.reason;
        else if (ended) return;
        else {
          const woken = new Promise<void>((resolve) => wake = resolve);
          response.resume();
          await woken;
        }
      }
    },
    stopClock: () => clearTimeout(timer),
    release: () => {
      clearTimeout(timer);
      for (const { signal, onAbort } of ties) signal.removeEventListener("abort", onAbort);
      if (!ended) stop(lost(new Error("nobody reads on")));
    },
  };
}

async function* releasing(chunks: AsyncIterable<Uint8Array>, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    release();
  }
}

/** Certificates that do not fit stay so; everything else that a connection dies of may pass. */
function lostError(doing: string, cause: unknown): unknown {
  if (cause instanceof ClusterError) return cause;
  const code = String((cause as { code?: unknown }).code ?? "");
  const words = cause instanceof Error ? cause.message : String(cause);
  const untrusted = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/.test(code) ||
    /certificate|wrong version number|InvalidContentType|UnknownIssuer/i.test(words);
  return new ClusterError(untrusted ? "untrusted" : "unreachable", `${doing}: ${words || code}`, {
    transient: !untrusted,
    ...(untrusted
      ? { blame: "operator" as const, hint: "Check the server address and certificate authority in the kubeconfig." }
      : {}),
    cause,
  });
}

/** Whether the failure came before the server can have seen the request. */
export function wasNeverSent(error: ClusterError): boolean {
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return error.status === 429 || ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"].includes(String(code));
}
