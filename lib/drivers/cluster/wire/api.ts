/**
 * Calls to one API server: limited, with deadlines, repeated where that is safe, every failure a ClusterError.
 *
 * At most `concurrency` calls are under way (streams are not counted); a 429 holds all of them back until the server
 * wants to hear from us again. What may be repeated is the caller's to say: a create or an apply may, for finding
 * it done is no harm; a JSON patch only when the server cannot have seen it.
 */
import Bottleneck from "bottleneck";
import { type Call, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Connection, Connections } from "#lib/drivers/cluster/wire/connection.ts";
import { credentialsError } from "#lib/drivers/cluster/wire/credentials.ts";
import { firstOf, rest } from "#lib/drivers/cluster/wire/race.ts";
import { type Answer, badAnswer, dateOf, errorOf, isRecord, warningsOf } from "#lib/drivers/cluster/wire/status.ts";
import { exchange, openStream, type Outgoing, type Stream, wasNeverSent } from "#lib/drivers/cluster/wire/transport.ts";
import { backoff, SECOND } from "#lib/base/time.ts";

export interface Request {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** From the server's base, every segment encoded. */
  readonly path: string;
  /** What is to be made is called, which the path of a POST does not say: for the words of a failure. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Content type of the body, if it is not plain JSON. */
  readonly type?: string;
  /** What is wanted in place of plain JSON. */
  readonly accept?: string;
  readonly repeat: "safe" | "unsent";
}

interface Reply {
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
  /** Aborts when it is closed, with what every call then ends with. */
  readonly closed: AbortSignal;
  close(): void;
}

interface ApiOptions {
  readonly connections: Connections;
  readonly concurrency: number;
  readonly deadline: number;
  readonly userAgent: string;
}

/** The code of what every call ends with when the cluster is closed. Another replica may go on; here nothing does. */
const CLOSED = "closed";
const TRIES = 4;
/** How long a refusal may take that came where a stream was expected. */
const DRAIN = 2 * SECOND;
/** Below this, a difference is the second that the Date header is cut to, and not a clock that is wrong. */
const SKEW_LEAST = 2 * SECOND;

export function openApi(options: ApiOptions): Api {
  const { connections, concurrency, deadline, userAgent } = options;
  const limiter = new Bottleneck({ maxConcurrent: concurrency });
  const closing = new AbortController();
  let heldUntil = 0, skew = 0;

  const signalsOf = (call: Call) => [call.signal, closing.signal];

  /** Credentials come from files and programs, which may hang as a server may. */
  async function connect(call: Call): Promise<Connection> {
    const late = () => credentialsError(new Error(`they have not come within ${deadline} ms`));
    return await firstOf(connections.current(), signalsOf(call), { ms: deadline, late });
  }

  function outgoing(request: Request, { server, headers, options, once }: Connection, call: Call): Outgoing {
    const query = new URLSearchParams(request.query).toString();
    const url = new URL(server.origin + server.pathname.replace(/\/$/, "") + request.path + (query && `?${query}`));
    return {
      method: request.method,
      url,
      headers: {
        ...headers,
        accept: request.accept ?? "application/json",
        "user-agent": userAgent,
        ...(request.body === undefined ? {} : { "content-type": request.type ?? "application/json" }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      options: request.repeat === "unsent" ? once : options,
      deadline,
      signals: signalsOf(call),
      ...(call.check && { check: call.check }),
    };
  }

  /** Asks, and once more with new credentials if these were refused. */
  async function authorised<T extends { readonly status: number }>(
    call: Call,
    ask: (connection: Connection) => Promise<T>,
    dismiss: (refused: T) => void,
  ): Promise<T> {
    const connection = await connect(call);
    const answer = await ask(connection);
    if (answer.status !== 401) return answer;
    dismiss(answer);
    const late = () => credentialsError(new Error(`they have not come within ${deadline} ms`));
    await firstOf(connections.renew(connection), signalsOf(call), { ms: deadline, late });
    return await ask(await connect(call));
  }

  async function turn(request: Request, call: Call): Promise<Answer> {
    let doing = `${request.method} ${request.path}`;
    const send = async (connection: Connection) => {
      // In the queue, so that a call that waited there while the server asked for quiet is quiet, too.
      await held(call);
      const out = outgoing(request, connection, call);
      doing = `${out.method} ${out.url.host}${out.url.pathname}${request.name ? `/${request.name}` : ""}`;
      return await exchange(out);
    };
    const answer = await queued(limiter, () => authorised(call, send, () => {}), signalsOf(call));
    if (answer.status >= 300) throw refused(errorOf(answer, doing));
    const ahead = dateOf(answer) - Date.now();
    skew = Math.abs(ahead) < SKEW_LEAST ? 0 : ahead;
    return answer;
  }

  /** Waits while the server has asked for quiet; a long quiet is the caller's to wait for, who can tell people of it. */
  async function held(call: Call): Promise<void> {
    for (let wait; (wait = heldUntil - performance.now()) > 0;) {
      if (wait > deadline) throw quietError(wait);
      await rest(wait, signalsOf(call));
    }
  }

  function refused(error: ClusterError): ClusterError {
    if (error.status === 429) heldUntil = Math.max(heldUntil, performance.now() + (error.retryAfterMs ?? SECOND));
    return error;
  }

  async function tries(request: Request, call: Call): Promise<Answer> {
    const started = performance.now();
    for (let attempt = 1;; attempt++) {
      try {
        return await turn(request, call);
      } catch (error) {
        for (const signal of signalsOf(call)) signal.throwIfAborted();
        if (!(error instanceof ClusterError) || !maySoonPass(error)) throw error;
        const mayRepeat = request.repeat === "safe" || wasNeverSent(error);
        const asked = error.retryAfterMs ?? 0;
        if (!mayRepeat || attempt >= TRIES || performance.now() - started + asked > deadline) throw error;
        await rest(Math.max(backoff(attempt, 200, 2 * SECOND), asked), signalsOf(call));
      }
    }
  }

  return {
    now: () => Date.now() + skew,
    closed: closing.signal,
    call: async (request, call) => {
      const answer = await tries(request, call);
      return { body: parseBody(answer, request), warnings: warningsOf(answer) };
    },
    text: async (path, query, call) => (await tries({ method: "GET", path, query, repeat: "safe" }, call)).body,
    stream: async (path, query, call) => {
      await held(call);
      const open = (connection: Connection) =>
        openStream(outgoing({ method: "GET", path, query, repeat: "safe" }, connection, call));
      const stream = await authorised(call, open, (refused) => refused.close());
      if (stream.status < 300) return stream;
      throw refused(errorOf(await drain(stream, signalsOf(call)), `GET ${path}`));
    },
    close: () => {
      closing.abort(new ClusterError(CLOSED, "The connection to the cluster was closed", { transient: true }));
      connections.close();
    },
  };
}

/** Runs when a place is free; a call that was called off does not wait for that. */
async function queued<T>(limiter: Bottleneck, run: () => Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  for (const signal of signals) signal.throwIfAborted();
  return await firstOf(
    limiter.schedule(() => {
      for (const signal of signals) signal.throwIfAborted();
      return run();
    }),
    signals,
  );
}

/** Whether it is of no use to go on asking, though what failed may pass. */
export function isClosed(error: unknown): boolean {
  return error instanceof ClusterError && error.code === CLOSED;
}

function quietError(ms: number): ClusterError {
  const message = `The API server has asked for quiet, for another ${Math.ceil(ms / SECOND)} s`;
  return new ClusterError("TooManyRequests", message, { transient: true, status: 429, retryAfterMs: ms });
}

/** What heals when a person does something is not asked for again at once: the caller does so in its own time. */
function maySoonPass({ transient, code, status }: ClusterError): boolean {
  return transient && !LATER.has(code) && status !== 401 && status !== 410;
}

const LATER = new Set(["BadAnswer", "credentials", "kubeconfig", "untrusted"]);

function parseBody(answer: Answer, request: Request): unknown {
  const text = answer.body.trim();
  try {
    const body = JSON.parse(text);
    if (isRecord(body)) return body;
  } catch {
    // It is no JSON at all, which is told in the same words.
  }
  const what = text === "" ? "nothing" : `something that is no object in JSON: ${text.slice(0, 200)}`;
  throw badAnswer(`${request.method} ${request.path} was answered with ${what}`, answer.status);
}

/** The text of a refusal that came where a stream was expected: small and at once, but never trusted to be. */
async function drain(stream: Stream, signals: readonly AbortSignal[]): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  const read = async () => {
    for await (const chunk of stream.chunks) if (chunks.push(chunk) > 64) break;
  };
  try {
    await firstOf(read(), signals, { ms: DRAIN, late: () => new Error("the refusal does not come to its end") });
  } catch {
    for (const signal of signals) signal.throwIfAborted();
    // Cut off, or too slow: what has come says enough.
  } finally {
    stream.close();
  }
  return { status: stream.status, headers: stream.headers, body: Buffer.concat(chunks).toString("utf8") };
}
