/** Defines the context in which the server handles one HTTP request. */
import type { HttpResponse } from "#lib/http/response.ts";
import type { HeaderLines } from "#lib/http/deprecation.ts";
import type { AnyEndpoint } from "#lib/http/endpoint.ts";
import type { Fault } from "#lib/base/errors.ts";
import type { TimeBudget } from "#lib/base/limits/time-budget.ts";
import type { LoadSlot } from "#lib/base/limits/load-shedding.ts";
import type { Log } from "#lib/base/log.ts";
import type { SpanContext } from "#lib/base/trace.ts";
import type { CreationQueue } from "#lib/http/creation-queue.ts";

export interface HttpExchange {
  readonly request: Request;
  readonly url: URL;
  readonly route: Route;
  /** The request ID: the client's request ID if valid, otherwise a new ID. */
  readonly id: string;
  /** The client's IP address. Taken from `X-Forwarded-For` only behind a trusted proxy. */
  readonly ip: string;
  readonly userAgent: string;
  /** The request's span, which belongs to the client's trace or to a new trace. */
  readonly trace: SpanContext;
  readonly log: Log;
  /**
   * The IDs of the user, hub and spoke, and the code of a refusal, for the log. Each is set as soon as it is known.
   */
  readonly contextIds: { user?: string; hub?: string; spoke?: string; refusal?: string };
  /** Aborts with ClientDisconnected, or with a fault when the request's time is up. */
  readonly signal: AbortSignal;
  readonly abort: (reason: Fault | ClientDisconnected) => void;
  /** Registers a listener to call if the client disconnects before it has received the entire response. */
  readonly onDisconnect: (listener: () => void) => void;
  /** Reads the body. Throws a fault: `too_large` (`body_too_large`) or `unsent` (`body_too_slow`). */
  readonly body: () => Promise<Uint8Array>;
  readonly loadSlot: LoadSlot;
  /** The time that the request has left. */
  readonly timeBudget: TimeBudget;
  readonly creationQueue: CreationQueue;
  /** Settles when the response has been sent or the connection is lost. */
  readonly sent: Promise<void>;
}

/** A route handles requests. Requests for unknown paths also have a route, which refuses them. */
export interface Route {
  /** The path pattern. Logs contain the pattern instead of the path, because the path may contain secrets. */
  readonly pattern: string;
  readonly endpoint: AnyEndpoint | null;
  /** For routes without an endpoint: renders an error as a page for clients that accept HTML. */
  readonly negotiatedErrorPage?: AnyEndpoint["negotiatedErrorPage"];
  /** Headers that announce the endpoint's deprecation. Added to every response, including errors. */
  readonly headers: HeaderLines;
  /** Reads the body and runs quick checks, before the request counts as in flight. */
  readonly receive: (exchange: HttpExchange) => Promise<void> | void;
  readonly respond: (exchange: HttpExchange) => Promise<HttpResponse>;
}

/** The error when the client disconnects before the response is complete. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientGone";
  constructor() {
    super("The client closed the connection");
  }
}
