/**
 * Sends HTTP requests with node:http or node:https, a deadline, abort signals and the caller's trace headers. A lost
 * connection always causes an error. fetch is not used, because it reuses closed connections, and on Deno an aborted
 * fetch may never settle.
 */
import http from "node:http";
import https from "node:https";
import { getCurrentContext } from "#lib/base/work-context.ts";
import { DriverError } from "#lib/base/errors.ts";
import { startPatientTimer } from "#lib/base/patient-timer.ts";
import { buildTraceHeaders } from "#lib/base/trace.ts";

export interface HttpExchangeResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** The reason why a request failed. "unsendable": a header contains invalid characters, for example a line break. */
export type HttpExchangeFailure = "deadline" | "lost" | "too large" | "unsendable";

export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | undefined;
  /** The TLS certificates and keys, and the connection agent. */
  readonly options: https.RequestOptions;
  /** The time limit in milliseconds for the complete response. For a stream, the limit for its headers. */
  readonly deadline: number;
  readonly signals: readonly AbortSignal[];
  /** The maximum size of the response body in bytes. Defaults to 64 MiB. */
  readonly maxBytes?: number;
  /** Called just before the request is sent. If the function throws, the request is not sent. */
  readonly check?: (() => void) | undefined;
  /** Creates the error to throw. `description` contains the request's method, host and path. */
  readonly fail: (failure: HttpExchangeFailure, description: string, cause: Error) => DriverError;
}

export interface ResponseStream {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The response body. Throws the abort signal's reason, or the error from `fail` if the connection was lost. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Closes the stream. If the body was not read completely, the reader gets the error `reason`. */
  close(reason?: Error): void;
}

/** The default maximum size of a response body in bytes. A list with 500 objects is much smaller. */
const MAX_BODY_BYTES = 64 * 2 ** 20;

/** Sends a request and reads the whole response into memory. */
export async function sendHttpRequest(outgoing: OutgoingRequest): Promise<HttpExchangeResponse> {
  const pendingExchange = openExchange(outgoing), { maxBytes: maxSize = MAX_BODY_BYTES } = outgoing;
  try {
    const response = await pendingExchange.response;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of pendingExchange.chunks) {
      chunks.push(chunk);
      if ((size += chunk.byteLength) > maxSize) {
        throw outgoing.fail("too large", pendingExchange.description, new Error(`response over ${maxSize} bytes`));
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
  /** Stops the timer, removes the abort listeners, and closes the connection if the response is incomplete. */
  release(reason?: Error): void;
}

function openExchange(outgoing: OutgoingRequest): OpenExchange {
  const { url, method, body, fail } = outgoing;
  const description = `${method} ${url.host}${url.pathname}`;
  const pendingResponse = Promise.withResolvers<http.IncomingMessage>();
  pendingResponse.promise.catch(() => {}); // avoids an unhandled rejection when nothing waits for the response
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
  const stopTimer = startPatientTimer(outgoing.deadline, onTime);
  const abortListeners = outgoing.signals.map((signal) => ({ signal, onAbort: () => stop(signal.reason) }));
  for (const { signal, onAbort } of abortListeners) signal.addEventListener("abort", onAbort, { once: true });
  request.on("error", lose);
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    lose(new Error("the server switched to another protocol"));
  });
  // Adds all listeners immediately: events without a listener are lost, and an unhandled `error` ends the process.
  request.on("response", (response) => {
    source = response;
    response.on("data", (chunk: Uint8Array) => {
      queue.push(chunk);
      response.pause(); // the reader resumes the response
      wake();
    });
    response.pause();
    response.on("end", () => {
      ended = response.complete;
      wake();
    });
    response.on("error", lose);
    // Treats an early close as a lost connection, because Node.js does not always report it as an error.
    response.on("close", () => ended || lose(new Error("the connection was closed")));
    pendingResponse.resolve(response);
  });
  request.on("close", () => source || lose(new Error("the connection was closed without an answer")));
  // Handles `socket` repeatedly, because Deno emits the event for each replaced connection, even after an abort.
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
    stopClock: stopTimer,
    release: (reason) => {
      stopTimer();
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
  const cause = getCurrentContext();
  return cause ? buildTraceHeaders(cause.span) : {};
}

async function* releaseAtEnd(chunks: AsyncIterable<Uint8Array>, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    release();
  }
}
