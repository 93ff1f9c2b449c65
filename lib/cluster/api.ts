/**
 * Calls to one API server: limited, with deadlines, repeated where that is safe, every failure a ClusterError.
 *
 * At most `concurrency` calls are under way (streams are not counted); a 429 holds all of them back until the server
 * wants to hear from us again. What may be repeated is the caller's to say: a create or an apply may, for finding
 * it done is no harm; a JSON patch only when the server cannot have seen it.
 */
import Bottleneck from "bottleneck";
import { type Call, ClusterError } from "#lib/cluster/cluster.ts";
import type { Connections } from "#lib/cluster/connection.ts";
import { type Answer, errorOf, warningsOf } from "#lib/cluster/status.ts";
import { exchange, openStream, type Outgoing, type Stream, wasNeverSent } from "#lib/cluster/transport.ts";
import { backoff, MINUTE, SECOND, sleep } from "#lib/time.ts";

export interface Request {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** From the server's base, every segment encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Content type of the body, if it is not plain JSON. */
  readonly type?: string;
  readonly repeat: "safe" | "unsent";
}

export interface Reply {
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly warnings: readonly string[];
}

export interface Api {
  call(request: Request, call: Call): Promise<Reply>;
  /** A GET that is answered in plain text: a log. */
  text(path: string, query: Readonly<Record<string, string>>, call: Call): Promise<string>;
  /** A GET whose body comes as long as the server sends it: a watch, a log. */
  stream(path: string, query: Readonly<Record<string, string>>, call: Call): Promise<Stream>;
  /** The time by the cluster's clock, in milliseconds: its timestamps are compared with this and not with ours. */
  now(): number;
  close(): void;
}

export interface ApiOptions {
  readonly connections: Connections;
  readonly concurrency: number;
  readonly deadline: number;
  readonly userAgent: string;
}

const TRIES = 4;
/** Below this, a difference is the second that the Date header is cut to, and not a clock that is wrong. */
const SKEW_LEAST = 2 * SECOND;

export function openApi(options: ApiOptions): Api {
  const { connections, concurrency, deadline, userAgent } = options;
  const limiter = new Bottleneck({ maxConcurrent: concurrency });
  const closing = new AbortController();
  let heldUntil = 0, skew = 0;

  async function outgoing(request: Omit<Request, "repeat">, call: Call): Promise<Outgoing> {
    const { server, headers, options: tls } = await connections.current();
    const query = new URLSearchParams(request.query).toString();
    const url = new URL(server.origin + server.pathname.replace(/\/$/, "") + request.path + (query && `?${query}`));
    return {
      method: request.method,
      url,
      headers: {
        ...headers,
        accept: "application/json",
        "user-agent": userAgent,
        ...(request.body === undefined ? {} : { "content-type": request.type ?? "application/json" }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      options: tls,
      deadline,
      signals: [call.signal, closing.signal],
    };
  }

  async function turn(request: Request, call: Call): Promise<Answer> {
    await held(call);
    let doing = `${request.method} ${request.path}`;
    const send = async () => {
      const out = await outgoing(request, call);
      doing = `${out.method} ${out.url.host}${out.url.pathname}`;
      return exchange(out);
    };
    let answer = await queued(limiter, send, call.signal);
    if (answer.status === 401) {
      await connections.renew();
      answer = await queued(limiter, send, call.signal);
    }
    const date = Date.parse(String(answer.headers["date"] ?? ""));
    if (!Number.isNaN(date)) skew = Math.abs(date - Date.now()) < SKEW_LEAST ? 0 : date - Date.now();
    if (answer.status >= 300) throw refused(errorOf(answer, doing));
    return answer;
  }

  /** Waits while the server has asked for quiet. */
  async function held(call: Call): Promise<void> {
    const wait = heldUntil - performance.now();
    if (wait > 0) await sleep(wait, call.signal);
  }

  function refused(error: ClusterError): ClusterError {
    if (error.status === 429) {
      const wait = Math.min(error.retryAfterMs ?? SECOND, MINUTE);
      heldUntil = Math.max(heldUntil, performance.now() + wait);
    }
    return error;
  }

  async function tries(request: Request, call: Call): Promise<Answer> {
    const started = performance.now();
    for (let attempt = 1;; attempt++) {
      try {
        return await turn(request, call);
      } catch (error) {
        call.signal.throwIfAborted();
        if (!(error instanceof ClusterError) || !error.transient || closing.signal.aborted) throw error;
        const mayRepeat = request.repeat === "safe" || wasNeverSent(error);
        if (!mayRepeat || attempt >= TRIES || performance.now() - started > deadline) throw error;
        const wait = Math.max(backoff(attempt, 200, 2 * SECOND), Math.min(error.retryAfterMs ?? 0, MINUTE));
        await sleep(wait, call.signal);
      }
    }
  }

  return {
    now: () => Date.now() + skew,
    call: async (request, call) => {
      const answer = await tries(request, call);
      return { body: parseBody(answer, request), warnings: warningsOf(answer) };
    },
    text: async (path, query, call) => (await tries({ method: "GET", path, query, repeat: "safe" }, call)).body,
    stream: async (path, query, call) => {
      await held(call);
      const open = async () => openStream(await outgoing({ method: "GET", path, query }, call));
      let stream = await open();
      if (stream.status === 401) {
        stream.close();
        await connections.renew();
        stream = await open();
      }
      if (stream.status < 300) return stream;
      throw refused(errorOf(await drain(stream), `GET ${path}`));
    },
    close: () => {
      closing.abort(new ClusterError("closed", "The connection to the cluster was closed", { transient: true }));
      connections.close();
    },
  };
}

/** Runs when a place is free; whoever has been called off does not wait for that. */
async function queued<T>(limiter: Bottleneck, run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const place = limiter.schedule(() => {
    signal.throwIfAborted();
    return run();
  });
  try {
    return await Promise.race([place, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    place.catch(() => {}); // its failure was told by whatever came first
  }
}

function parseBody(answer: Answer, request: Request): unknown {
  try {
    return JSON.parse(answer.body);
  } catch (cause) {
    const message = `${request.method} ${request.path} was answered with something that is no JSON: ${
      answer.body.trim().slice(0, 200)
    }`;
    throw new ClusterError("BadAnswer", message, {
      transient: false,
      status: answer.status,
      blame: "operator",
      hint: "Check that the kubeconfig's server is a Kubernetes API server and no proxy's page.",
      cause,
    });
  }
}

/** The text of a refusal that came where a stream was expected: small, but never trusted to be. */
async function drain(stream: Stream): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream.chunks) if (chunks.push(chunk) > 64) break;
  return { status: stream.status, headers: stream.headers, body: Buffer.concat(chunks).toString("utf8") };
}
