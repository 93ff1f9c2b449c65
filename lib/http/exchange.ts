/** One request on its way through the server, and what is known of it besides itself. */
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
  /** The request id: the client's own if it is well formed. */
  readonly id: string;
  /** The client's address, `X-Forwarded-For` taken into account only behind a trusted proxy. */
  readonly ip: string;
  readonly userAgent: string;
  /** Its place in a trace: one that the client's headers name, or one that begins here. */
  readonly trace: SpanContext;
  readonly log: Log;
  /** Who called and what it was about, by id, once that is known: for the line in the log. */
  readonly about: { user?: string; hub?: string; spoke?: string };
  /** Aborts when the client is gone or the time is over, with a ClientGone or the Fault to answer with. */
  readonly signal: AbortSignal;
  readonly abort: (reason: Fault | ClientDisconnected) => void;
  /** Calls the listener when the client is gone before it has the whole answer. */
  readonly onDisconnect: (listener: () => void) => void;
  /** The body as it came; Fault too_large when it is over its bound, without having kept more than that, and unsent. */
  readonly body: () => Promise<Uint8Array>;
  /** Its place among all that is under way. */
  readonly place: LoadSlot;
  /** The time that it may take. */
  readonly allowance: TimeBudget;
  readonly turns: CreationQueue;
  /** Settles when the answer is sent, or can no longer be. */
  readonly sent: Promise<void>;
}

/** Where a request goes. There is always one: what is not there has a route too, which says so. */
export interface Route {
  /** The pattern of its path, for the log: a path itself may hold what logs should not. */
  readonly pattern: string;
  readonly endpoint: AnyEndpoint | null;
  /** Where no endpoint is: how that is shown to a client that asks for HTML. */
  readonly negotiatedErrorPage?: AnyEndpoint["negotiatedErrorPage"];
  /** What every answer says, no matter who makes it: that the endpoint is deprecated. */
  readonly headers: HeaderLines;
  /** Looks at what needs no work, and waits for the body, before the request counts as under way. */
  readonly receive: (exchange: Exchange) => Promise<void>;
  readonly respond: (exchange: Exchange) => Promise<HttpResponse>;
}

/** Nobody waits for the answer any more. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientGone";
  constructor() {
    super("The client closed the connection");
  }
}
