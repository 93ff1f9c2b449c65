/**
 * Makes HTTP requests over node:http or node:https, with a deadline, abort signals and the caller's trace headers. A
 * lost connection is always an error. fetch is not used, because its pool keeps closed connections, and on Deno an
 * abort can leave it hanging.
 */
import http from "node:http";
import https from "node:https";
import { currentContext } from "#lib/base/work-context.ts";
import { DriverError } from "#lib/base/errors.ts";
import { traceHeaders } from "#lib/base/trace.ts";

export interface ExchangeResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Why a request failed. A request with invalid header characters, for example from a broken token, is "unsendable". */
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
  /** The maximum size of the response in bytes (64 MiB). */
  readonly maxBytes?: number;
  /** Called just before the request is sent. May throw to stop the request. */
  readonly check?: (() => void) | undefined;
  /** Creates the driver's error. `description` is the method, host and path. */
  readonly fail: (failure: ExchangeFailure, description: string, cause: Error) => DriverError;
}

export interface ResponseStream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The body. Throws the abort reason, or the driver's error if the connection was lost. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Closes the stream. Readers get `reason` as their error. */
  close(reason?: Error): void;
}

/** The maximum size of a response in bytes. A list of 500 objects is much smaller. */
const MAX_BODY_BYTES = 64 * 2 ** 20;

/** Sends a request and reads the complete response. */
export async function sendHttpRequest(outgoing: OutgoingRequest): Promise<ExchangeResponse> {
  const pendingExchange = openExchange(outgoing), { maxBytes: maxSize = MAX_BODY_BYTES } = outgoing;
  try {
    const response = await pendingExchange.response;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of pendingExchange.chunks) {
      chunks.push(chunk);
      if ((size += chunk.byteLength) > maxSize) {
        throw outgoing.fail("too large", pendingExchange.description, new Error(`the answer is over ${maxSize} bytes`));
      }
    }
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString("utf8") };
  } finally {
    pendingExchange.release();
  }
}

export async function openHttpStream(outgoing: OutgoingRequest): Promise<ResponseStream> {
  const pendingExchange = openExchange(outgoing);
  try {
    const response = await pendingExchange.response;
    pendingExchange.stopClock();
    return {
      status: response.statusCode!,
      headers: response.headers,
      chunks: releaseAtEnd(pendingExchange.chunks, pendingExchange.release),
      close: pendingExchange.release,
    };
  } catch (error) {
    pendingExchange.release();
    throw error;
  }
}

interface OpenExchange {
  readonly description: string;
  readonly response: Promise<http.IncomingMessage>;
  readonly chunks: AsyncIterable<Uint8Array>;
  stopClock(): void;
  /** Removes listeners and timer, and closes the connection unless the response was read completely. */
  release(reason?: Error): void;
}

function openExchange(outgoing: OutgoingRequest): OpenExchange {
  const { url, method, body, fail } = outgoing;
  const description = `${method} ${url.host}${url.pathname}`;
  const pendingResponse = Promise.withResolvers<http.IncomingMessage>();
  pendingResponse.promise.catch(() => {}); // avoids an unhandled rejection
  const queue: Uint8Array[] = [];
  let failure: { reason: unknown } | undefined, ended = false, wake = () => {};
  let source: http.IncomingMessage | undefined;

  for (const signal of outgoing.signals) signal.throwIfAborted();
  const request = createRequest(outgoing, description);
  const stop = (reason: unknown) => {
    failure ??= { reason };
    pendingResponse.reject(failure.reason);
    wake();
    request.destroy();
  };
  const lose = (cause: Error) => stop(cause instanceof DriverError ? cause : fail("lost", description, cause));
  const onTime = () => stop(fail("deadline", description, new Error(`took over ${outgoing.deadline} ms`)));
  const timer = setTimeout(onTime, outgoing.deadline);
  const abortListeners = outgoing.signals.map((signal) => ({ signal, onAbort: () => stop(signal.reason) }));
  for (const { signal, onAbort } of abortListeners) signal.addEventListener("abort", onAbort, { once: true });
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
    pendingResponse.resolve(response);
  });
  request.on("close", () => source || lose(new Error("the connection was closed without an answer")));
  // Deno emits `socket` again when it replaces a closed keep-alive connection, even after an abort.
  request.on("socket", (socket) => {
    if (failure || source) return void socket.destroy();
    const sendRequest = () => {
      try {
        outgoing.check?.();
        request.end(body);
      } catch (error) {
        stop(error);
      }
    };
    if (socket.connecting) socket.once(url.protocol === "https:" ? "secureConnect" : "connect", sendRequest);
    else sendRequest();
  });

  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = queue.shift();
      if (chunk) yield chunk;
      else if (failure) throw failure.reason;
      else if (ended) return;
      else {
        const wakeUp = new Promise<void>((resolve) => wake = resolve);
        source!.resume();
        await wakeUp;
      }
    }
  }

  return {
    description,
    response: pendingResponse.promise,
    chunks: read(),
    stopClock: () => clearTimeout(timer),
    release: (reason) => {
      clearTimeout(timer);
      for (const { signal, onAbort } of abortListeners) signal.removeEventListener("abort", onAbort);
      if (!ended) lose(reason ?? new Error("the response was closed before its end"));
    },
  };
}

function createRequest(
  { url, method, headers, body, options, fail }: OutgoingRequest,
  description: string,
): http.ClientRequest {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  try {
    const requestOptions = { ...options, method, headers: { ...traceHeadersOfCaller(), ...headers, ...length } };
    return (url.protocol === "https:" ? https : http).request(url, requestOptions);
  } catch (cause) {
    throw fail("unsendable", description, cause as Error);
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
