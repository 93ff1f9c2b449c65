/**
 * Calls to one API server: limited, with deadlines, repeated where that is safe, every failure a ClusterError.
 *
 * At most `concurrency` calls are under way (streams are not counted); a 429 holds all of them back until the server
 * wants to hear from us again. What may be repeated is the caller's to say: a create or an apply may, for finding
 * it done is no harm; a JSON patch only when the server cannot have seen it.
 */
import { type Call, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Connection, Connections } from "#lib/drivers/cluster/client/connection.ts";
import { exchangeError, lateError, wasNeverSent } from "#lib/drivers/cluster/client/failures.ts";
import { dateOf, errorOf, isRecord, unexpectedResponse, warningsOf } from "#lib/drivers/cluster/client/status.ts";
import { traceCall } from "#lib/drivers/cluster/client/trace-call.ts";
import {
  exchange,
  type HttpAnswer,
  openStream,
  type OutgoingRequest,
  type ResponseStream,
} from "#lib/drivers/exchange.ts";
import { openSemaphore } from "#lib/base/limits/semaphore.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

export interface ClusterRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** From the server's base, every segment encoded. */
  readonly path: string;
  /** What is to be made is called, which the path of a POST does not say: for the words of a failure. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Content type of the body, if it is not plain JSON. */
  readonly type?: string;
  readonly repeat: "safe" | "unsent";
}

interface ApiReply {
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly warnings: readonly string[];
}

export interface Api {
  call(request: ClusterRequest, call: Call): Promise<ApiReply>;
  /** A GET that is answered in plain text: a log. */
  text(path: string, query: Readonly<Record<string, string>>, call: Call): Promise<string>;
  /** A GET whose body comes as long as the server sends it: a watch, a log. */
  stream(path: string, query: Readonly<Record<string, string>>, call: Call): Promise<ResponseStream>;
  /** The time by the cluster's clock, in milliseconds: its timestamps are compared with this and not with ours. */
  now(): number;
  /** Aborts when it is closed, with what every call then ends with. */
  readonly closed: AbortSignal;
  readonly telemetry: Telemetry;
  close(): void;
}

interface ApiOptions {
  readonly connections: Connections;
  readonly concurrency: number;
  readonly deadline: number;
  readonly userAgent: string;
  readonly telemetry?: Telemetry;
}

/** The code of what every call ends with when the cluster is closed. Another replica may go on; here nothing does. */
const CLOSED = "closed";
const MAX_ATTEMPTS = 4;
/** How long a refusal may take that came where a stream was expected. */
const DRAIN_TIMEOUT = 2 * SECOND;
/** Below this, a difference is the second that the Date header is cut to, and not a clock that is wrong. */
const MIN_CLOCK_SKEW = 2 * SECOND;

export function openApi(options: ApiOptions): Api {
  const { connections, concurrency, deadline, telemetry = NO_TELEMETRY } = options;
  const places = openSemaphore(concurrency);
  const closing = new AbortController(), quiet = openThrottle(deadline);
  let skew = 0;

  const signalsOf = (call: Call) => [call.signal, closing.signal];

  function outgoing(request: ClusterRequest, connection: Connection, call: Call): OutgoingRequest {
    return { ...outgoingOf(request, connection, options), signals: signalsOf(call), check: call.check };
  }

  /** Asks, and once more with new credentials if these were refused. */
  async function withCredentials<T extends { readonly status: number }>(
    call: Call,
    ask: (connection: Connection) => Promise<T>,
    dismiss: (refused: T) => void,
  ): Promise<T> {
    const withDeadline = <R>(run: () => Promise<R>) =>
      runWithin(signalsOf(call), { ms: deadline, createError: () => lateError(deadline) }, run);
    const connection = connections.cached() ?? await withDeadline(connections.current);
    const answer = await ask(connection);
    if (answer.status !== 401) return answer;
    dismiss(answer);
    await withDeadline(() => connections.renew(connection));
    return await ask(await withDeadline(connections.current));
  }

  async function sendOnce(request: ClusterRequest, call: Call): Promise<HttpAnswer> {
    let doing = `${request.method} ${request.path}`;
    const send = async (connection: Connection) => {
      // In the queue, so that a call that waited there while the server asked for quiet is quiet, too.
      await quiet.over(signalsOf(call));
      const out = outgoing(request, connection, call);
      doing = `${out.method} ${out.url.host}${out.url.pathname}${request.name ? `/${request.name}` : ""}`;
      return await traceCall(telemetry, request.method, out, exchange);
    };
    const answer = await places.run(signalsOf(call), () => withCredentials(call, send, () => {}));
    if (answer.status >= 300) throw quiet.heard(errorOf(answer, doing));
    const ahead = dateOf(answer) - Date.now();
    skew = Math.abs(ahead) < MIN_CLOCK_SKEW ? 0 : ahead;
    return answer;
  }

  async function sendWithRetries(request: ClusterRequest, call: Call): Promise<HttpAnswer> {
    const started = performance.now();
    for (let attempt = 1;; attempt++) {
      try {
        return await sendOnce(request, call);
      } catch (error) {
        for (const signal of signalsOf(call)) signal.throwIfAborted();
        if (!(error instanceof ClusterError) || !isWorthRetryingNow(error)) throw error;
        const mayRepeat = request.repeat === "safe" || wasNeverSent(error);
        const asked = error.retryAfterMs ?? 0;
        if (!mayRepeat || attempt >= MAX_ATTEMPTS || performance.now() - started + asked > deadline) throw error;
        await pause(Math.max(backoff(attempt, 200, 2 * SECOND), asked), signalsOf(call));
      }
    }
  }

  return {
    now: () => Date.now() + skew,
    closed: closing.signal,
    telemetry,
    call: async (request, call) => {
      const answer = await sendWithRetries(request, call);
      return { body: parseBody(answer, request), warnings: warningsOf(answer) };
    },
    text: async (path, query, call) =>
      (await sendWithRetries({ method: "GET", path, query, repeat: "safe" }, call)).body,
    stream: async (path, query, call) => {
      await quiet.over(signalsOf(call));
      const open = (connection: Connection) => {
        const out = outgoing({ method: "GET", path, query, repeat: "safe" }, connection, call);
        return traceCall(telemetry, "STREAM", out, openStream);
      };
      const stream = await withCredentials(call, open, (refused) => refused.close());
      if (stream.status < 300) return stream;
      throw quiet.heard(errorOf(await drain(stream, signalsOf(call)), `GET ${path}`));
    },
    close: () => {
      closing.abort(new ClusterError(CLOSED, "The connection to the cluster was closed", { transient: true }));
      connections.close();
    },
  };
}

/** The request as it goes out over this connection. */
function outgoingOf(request: ClusterRequest, connection: Connection, { deadline, userAgent }: ApiOptions) {
  const { server, headers, options, once } = connection;
  const query = new URLSearchParams(request.query).toString();
  return {
    method: request.method,
    url: new URL(server.origin + server.pathname.replace(/\/$/, "") + request.path + (query && `?${query}`)),
    headers: {
      ...headers,
      accept: "application/json",
      "user-agent": userAgent,
      ...(request.body === undefined ? {} : { "content-type": request.type ?? "application/json" }),
    },
    body: request.body === undefined ? undefined : JSON.stringify(request.body),
    options: request.repeat === "unsent" ? once : options,
    deadline,
    fail: exchangeError,
  };
}

/** The quiet that a server asks for with a 429. */
function openThrottle(deadline: number) {
  let until = 0;
  return {
    /** Waits for its end; a long quiet is the caller's to wait for, who can tell people of it. */
    async over(signals: readonly AbortSignal[]): Promise<void> {
      for (let wait; (wait = until - performance.now()) > 0;) {
        if (wait > deadline) throw throttledError(wait);
        await pause(wait, signals);
      }
    },
    /** Gives the error back, whatever it asks for. */
    heard(error: ClusterError): ClusterError {
      if (error.status === 429) until = Math.max(until, performance.now() + (error.retryAfterMs ?? SECOND));
      return error;
    },
  };
}

/** Rests so long, unless one of the signals calls it off. */
function pause(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return runWithin(signals, null, (signal) => sleep(ms, signal));
}

/** Whether it is of no use to go on asking, though what failed may pass. */
export function isClosed(error: unknown): boolean {
  return error instanceof ClusterError && error.code === CLOSED;
}

function throttledError(ms: number): ClusterError {
  const message = `The API server is limiting requests for another ${Math.ceil(ms / SECOND)} s`;
  return new ClusterError("TooManyRequests", message, { transient: true, status: 429, retryAfterMs: ms });
}

/** What heals when a person does something is not asked for again at once: the caller does so in its own time. */
function isWorthRetryingNow({ transient, code, status }: ClusterError): boolean {
  return transient && !NOT_RETRIED.has(code) && status !== 401 && status !== 410;
}

const NOT_RETRIED = new Set(["BadAnswer", "credentials", "kubeconfig", "untrusted"]);

function parseBody(answer: HttpAnswer, request: ClusterRequest): unknown {
  const text = answer.body.trim();
  try {
    const body = JSON.parse(text);
    if (isRecord(body)) return body;
  } catch {
    // It is no JSON at all, which is told in the same words.
  }
  const what = text === "" ? "an empty body" : `a body that is not a JSON object: ${text.slice(0, 200)}`;
  throw unexpectedResponse(`${request.method} ${request.path} returned ${what}`, answer.status);
}

/** The text of a refusal that came where a stream was expected: small and at once, but never trusted to be. */
async function drain(stream: ResponseStream, signals: readonly AbortSignal[]): Promise<HttpAnswer> {
  const chunks: Uint8Array[] = [];
  const read = async () => {
    for await (const chunk of stream.chunks) if (chunks.push(chunk) > 64) break;
  };
  try {
    await runWithin(signals, {
      ms: DRAIN_TIMEOUT,
      createError: () => new Error("the refusal does not come to its end"),
    }, read);
  } catch {
    for (const signal of signals) signal.throwIfAborted();
    // Cut off, or too slow: what has come says enough.
  } finally {
    stream.close();
  }
  return { status: stream.status, headers: stream.headers, body: Buffer.concat(chunks).toString("utf8") };
}
