/** Defines the context of one HTTP request in the server. */
import type { HttpResponse } from "#lib/http/response.ts";
import type { HeaderLines } from "#lib/http/deprecation.ts";
import type { AnyEndpoint } from "#lib/http/endpoint.ts";
import type { Fault } from "#lib/base/errors.ts";
import type { TimeBudget } from "#lib/base/limits/time-budget.ts";
import type { LoadSlot } from "#lib/base/limits/load-shedding.ts";
import type { Log } from "#lib/base/log.ts";
import type { SpanContext } from "#lib/base/trace.ts";
import type { CreationQueue } from "#lib/http/creation-queue.ts";

export interface Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly route: Route;
  /** The request ID: the client's own ID if valid, otherwise a new one. */
  readonly id: string;
  /** The client's IP address. `X-Forwarded-For` is used only behind a trusted proxy. */
  readonly ip: string;
  readonly userAgent: string;
  /** The span of the request, in the client's trace or in a new one. */
  readonly trace: SpanContext;
  readonly log: Log;
  /** IDs of the user, hub and spoke, for the log. They are set once known. */
  readonly contextIds: { user?: string; hub?: string; spoke?: string };
  /** Aborts with ClientDisconnected, or with a fault when the time limit is reached. */
  readonly signal: AbortSignal;
  readonly abort: (reason: Fault | ClientDisconnected) => void;
  /** Calls the listener if the client disconnects before it has the complete response. */
  readonly onDisconnect: (listener: () => void) => void;
  /** Reads the body. Throws a fault: `too_large` (`body_too_large`) or `unsent` (`body_too_slow`). */
  readonly body: () => Promise<Uint8Array>;
  /** 35 */
  readonly loadSlot: LoadSlot;
  /** The time budget of the request. */
  readonly timeBudget: TimeBudget;
  readonly creationQueue: CreationQueue;
  /** Settles when the response is sent or the connection is lost. */
  readonly sent: Promise<void>;
}

/** The route of a request. Unknown paths also have one, which refuses the request. */
export interface Route {
  /** The path pattern, for the log. Paths themselves may contain secrets. */
  readonly pattern: string;
  readonly endpoint: AnyEndpoint | null;
  /** Renders errors for clients that accept HTML, if the route has no endpoint. */
  readonly negotiatedErrorPage?: AnyEndpoint["negotiatedErrorPage"];
  /** Headers of every response, including errors: the deprecation of the endpoint. */
  readonly headers: HeaderLines;
  /** Reads the body and runs cheap checks, before the request counts as in flight. */
  readonly receive: (exchange: Exchange) => Promise<void>;
  readonly respond: (exchange: Exchange) => Promise<HttpResponse>;
}

/** The client disconnected before the response was complete. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientGone";
  constructor() {
    super("The client closed the connection");
  }
}
