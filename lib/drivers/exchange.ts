/**
 * Makes HTTP requests with a deadline and abort signals over node:http or node:https. It always detects a lost
 * connection.
 *
 * fetch is not used: its pool keeps connections that the peer has closed, and on Deno an abort may leave it hanging.
 * Requests have the caller's trace headers.
 */
import http from "node:http";
import https from "node:https";
import { currentContext } from "#lib/base/work-context.ts";
import { DriverError } from "#lib/base/errors.ts";
import { traceHeaders } from "#lib/base/trace.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** The kind of failure. A request is unsendable if a header has invalid characters, for example from a broken token. */
export type ExchangeFailure = "deadline" | "lost" | "too large" | "unsendable";

export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | undefined;
  /** Certificates, keys and the agent. */
  readonly options: https.RequestOptions;
  /** Milliseconds for headers and body. For a stream, only for the headers. */
  readonly deadline: number;
  readonly signals: readonly AbortSignal[];
  /** The most bytes of the response (64 MiB). */
  readonly maxBytes?: number;
  /** Throws to stop the request just before it is sent. */
  readonly check?: (() => void) | undefined;
  /** Creates the driver's error. `doing` is the method, host and path. */
  readonly fail: (failure: ExchangeFailure, doing: string, cause: Error) => DriverError;
}

export interface ResponseStream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The body. Throws the abort reason, or the driver's error if the connection was lost. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Closes the stream. A reader gets the reason as its error. */
  close(reason?: Error): void;
}

/** The most bytes of a response. A list of 500 objects stays far below. */
const MAX_BODY_BYTES = 64 * 2 ** 20;

/** Sends a request and reads the complete response. */
export async function exchange(outgoing: OutgoingRequest): Promise<HttpAnswer> {
  const leash = openExchange(outgoing), { maxBytes: most = MAX_BODY_BYTES } = outgoing;
  try {
    const response = await leash.response;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of leash.chunks) {
      chunks.push(chunk);
      if ((size += chunk.byteLength) > most) {
        throw outgoing.fail("too large", leash.doing, new Error(`the answer is over ${most} bytes`));
      }
    }
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString("utf8") };
  } finally {
    leash.release();
  }
}

/** Sends a request and streams the response. */
export async function openStream(outgoing: OutgoingRequest): Promise<ResponseStream> {
  const leash = openExchange(outgoing);
  try {
    const response = await leash.response;
    leash.stopClock();
    return {
      status: response.statusCode!,
      headers: response.headers,
      chunks: releaseAtEnd(leash.chunks, leash.release),
      close: leash.release,
    };
  } catch (error) {
    leash.release();
    throw error;
  }
}

interface OpenExchange {
  readonly doing: string;
  readonly response: Promise<http.IncomingMessage>;
  readonly chunks: AsyncIterable<Uint8Array>;
  stopClock(): void;
  /** Removes listeners and timer, and closes the connection unless the response was read completely. */
  release(reason?: Error): void;
}

function openExchange(outgoing: OutgoingRequest): OpenExchange {
  const { url, method, body, fail } = outgoing;
  const doing = `${method} ${url.host}${url.pathname}`;
  const answered = Promise.withResolvers<http.IncomingMessage>();
  answered.promise.catch(() => {}); // avoids an unhandled rejection
  const queue: Uint8Array[] = [];
  let failure: { reason: unknown } | undefined, ended = false, wake = () => {};
  let source: http.IncomingMessage | undefined;

  for (const signal of outgoing.signals) signal.throwIfAborted();
  const request = createRequest(outgoing, doing);
  const stop = (reason: unknown) => {
    failure ??= { reason };
    answered.reject(failure.reason);
    wake();
    request.destroy();
  };
  const lose = (cause: Error) => stop(cause instanceof DriverError ? cause : fail("lost", doing, cause));
  const onTime = () => stop(fail("deadline", doing, new Error(`took over ${outgoing.deadline} ms`)));
  const timer = setTimeout(onTime, outgoing.deadline);
  const ties = outgoing.signals.map((signal) => ({ signal, onAbort: () => stop(signal.reason) }));
  for (const { signal, onAbort } of ties) signal.addEventListener("abort", onAbort, { once: true });
  request.on("error", lose);
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    lose(new Error("the server switched to another protocol"));
  });
  // Listeners are added immediately: events without a listener are lost, or end the process.
  request.on("response", (response) => {
    source = response;
    response.on("data", (chunk: Uint8Array) => {
      queue.push(chunk);
      response.pause(); // the reader resumes it
      wake();
    });
    response.pause();
    response.on("end", () => {
      ended = response.complete;
      wake();
    });
    response.on("error", lose);
    // A premature close is not always reported as an error.
    response.on("close", () => ended || lose(new Error("the connection was closed")));
    answered.resolve(response);
  });
  request.on("close", () => source || lose(new Error("the connection was closed without an answer")));
  // Deno emits this repeatedly: it replaces a closed kept connection and starts the request again, even after an abort.
  request.on("socket", (socket) => {
    if (failure || source) return void socket.destroy();
    const go = () => {
      try {
        outgoing.check?.();
        request.end(body);
      } catch (error) {
        stop(error);
      }
    };
    if (socket.connecting) socket.once(url.protocol === "https:" ? "secureConnect" : "connect", go);
    else go();
  });

  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = queue.shift();
      if (chunk) yield chunk;
      else if (failure) throw failure.reason;
      else if (ended) return;
      else {
        const woken = new Promise<void>((resolve) => wake = resolve);
        source!.resume();
        await woken;
      }
    }
  }

  return {
    doing,
    response: answered.promise,
    chunks: read(),
    stopClock: () => clearTimeout(timer),
    release: (reason) => {
      clearTimeout(timer);
      for (const { signal, onAbort } of ties) signal.removeEventListener("abort", onAbort);
      if (!ended) lose(reason ?? new Error("nobody reads on"));
    },
  };
}

function createRequest(
  { url, method, headers, body, options, fail }: OutgoingRequest,
  doing: string,
): http.ClientRequest {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  try {
    const sent = { ...options, method, headers: { ...traceHeadersOfCaller(), ...headers, ...length } };
    return (url.protocol === "https:" ? https : http).request(url, sent);
  } catch (cause) {
    throw fail("unsendable", doing, cause as Error);
  }
}

function traceHeadersOfCaller(): Readonly<Record<string, string>> {
  const cause = currentContext();
  return cause ? traceHeaders(cause.span) : {};
}

async function* releaseAtEnd(chunks: AsyncIterable<Uint8Array>, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    release();
  }
}
