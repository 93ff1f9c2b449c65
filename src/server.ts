/** The HTTP server: what each request goes through, read from top to bottom. */
import type { App } from "#lib/app.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import type { ReleaseNotes } from "#lib/domains/changelog/releases.ts";
import { type CallCounter, NO_COUNTER } from "#lib/domains/deprecations/calls.ts";
import type { OpenApi } from "#lib/reference/openapi.ts";
import { publishApi } from "#lib/reference/publish.ts";
import { newId } from "#lib/base/ids.ts";
import { type HttpResponse, isBodyStream, toResponse } from "#lib/http/response.ts";
import { createBodyReader } from "#lib/http/body.ts";
import { type AnyEndpoint, type Manifest, withoutPortal } from "#lib/http/endpoint.ts";
import { compress } from "#lib/http/compress.ts";
import { openCreationQueues } from "#lib/http/creation-queue.ts";
import type { ClientDisconnected, Exchange } from "#lib/http/exchange.ts";
import type { Fault } from "#lib/base/errors.ts";
import {
  accessLog,
  deadline,
  type Middleware,
  receiveBody,
  recordTelemetry,
  renderErrors,
  requestId,
  routeHeaders,
  runMiddleware,
  securityHeaders,
  setWorkContext,
  shedLoad,
} from "#lib/http/middleware.ts";
import { type Authenticate, mountRoutes } from "#lib/http/mount.ts";
import { type Check, openReadiness } from "#lib/http/readiness.ts";
import { refusalPage } from "#lib/portal/page/refusal-page.ts";
import { parseAddress, parseNetworks } from "#lib/base/limits/address.ts";
import { openRateLimit, type RateLimit } from "#lib/base/limits/rate-limit.ts";
import { createClientFinder } from "#lib/base/limits/client-address.ts";
import { openTimeBudget } from "#lib/base/limits/time-budget.ts";
import { type LoadPool, type LoadShedderOptions, openLoadShedder } from "#lib/base/limits/load-shedding.ts";
import { openUnreadBodies } from "#lib/base/limits/unread-bodies.ts";
import { readTraceHeaders, startSpanContext } from "#lib/base/trace.ts";
import { listen, type ListenAddress, type Listening, type Peer } from "./listen.ts";
import { readinessOf } from "./readiness.ts";
import { releases } from "./releases.ts";

interface ServerOptions {
  /** Whether the scheduler of this process is at work; absent where none exists. */
  readonly ready?: () => boolean;
  /** Whether the process was not told to stop; absent where nobody tells it. */
  readonly stays?: () => boolean;
  readonly authenticate?: Authenticate;
  readonly checks?: readonly Check[];
  /** What readyz says besides; nothing when absent. */
  readonly notes?: () => readonly string[];
  /** Counts the calls of tokens; absent where nobody asks for them. */
  readonly calls?: Pick<CallCounter, "count">;
  /** What each release changed; those of this program when absent. */
  readonly releases?: readonly ReleaseNotes[];
  /** How the lateness of the event loop is measured; by the machine's clock when absent. */
  readonly lateness?: Pick<LoadShedderOptions, "now" | "every">;
  /** Limits attempts to sign in; a limit on the machine's clock when absent. */
  readonly bucket?: RateLimit;
}

export interface Server {
  /** Answers one request as it would come over a socket; never throws. */
  request(request: Request, peer?: Peer): Promise<Response>;
  /** Requests that count against MAX_IN_FLIGHT, and people who sign in. */
  inFlight(): number;
  listen(address: ListenAddress): Promise<Listening>;
}

const LOCAL: Peer = { address: "127.0.0.1", sent: Promise.resolve() };
const LONGEST_AGENT = 500;
const PER_REQUEST = 8; // connections beside those of streams for each request under way: most of them are idle

export function openServer(app: App, whole: Manifest, options: ServerOptions = {}): Server {
  const { config } = app, manifest = config.portal ? whole : withoutPortal(whole);
  const load = openLoadShedder({ maxInFlight: config.maxInFlight, telemetry: app.telemetry, ...options.lateness });
  const openTurns = openCreationQueues(app.db.stats().size);
  const unread = openUnreadBodies(config.bodyLimitBytes);
  const findClient = createClientFinder(config.trustedProxies, app.log);
  const isProxy = parseNetworks(config.trustedProxies);
  let document: OpenApi | undefined;
  const findRoute = mountRoutes({
    app,
    service: {
      manifest,
      readiness: openReadiness(
        app,
        options.checks ?? readinessOf(options.ready, options.stays),
        options.notes ?? (() => []),
      ),
      document: () => document ??= publishApi(manifest, app.release),
      releases: options.releases ?? releases,
    },
    authenticate: options.authenticate ?? authenticate,
    bucket: options.bucket ?? openRateLimit(),
    calls: options.calls ?? NO_COUNTER,
    ...(config.portal && { negotiatedErrorPage: refusalPage }),
  });

  const middleware: readonly Middleware[] = [
    setWorkContext,
    recordTelemetry(app.telemetry),
    requestId,
    accessLog,
    securityHeaders(config.publicUrl),
    routeHeaders,
    compress,
    renderErrors,
    receiveBody,
    shedLoad,
    deadline(config.requestTimeoutMs),
  ];

  function open(request: Request, peer: Peer): Exchange {
    const url = new URL(request.url);
    const id = wellFormedId(request.headers.get("x-request-id")) ?? newId("req");
    const log = app.log.with({ requestId: id });
    const aborting = new AbortController(), { signal } = aborting;
    const allowance = openTimeBudget({ limit: config.requestTimeoutMs });
    const route = findRoute(request.method, url.pathname);
    const ip = findClient(peer.address, request.headers.get("x-forwarded-for"));
    return {
      request,
      url,
      route,
      id,
      trace: startSpanContext(readTraceHeaders(headersOf(request)), app.telemetry.sampler),
      ip,
      userAgent: (request.headers.get("user-agent") ?? "").slice(0, LONGEST_AGENT),
      log,
      about: {},
      signal,
      abort: (reason: Fault | ClientDisconnected) => aborting.abort(reason),
      body: createBodyReader(request, ip, { limit: config.bodyLimitBytes, unread }),
      place: load.openSlot(roomOf(route.endpoint)),
      allowance,
      turns: openTurns({ ip, signal, allowance }),
      sent: peer.sent,
      onDisconnect: peer.onGone ?? ((listener) => onAbort(request.signal, listener)),
    };
  }

  const answer = (request: Request, peer: Peer): Promise<HttpResponse> =>
    runMiddleware(middleware, open(request, peer));
  return {
    async request(request, peer = LOCAL) {
      const made = await answer(request, peer), { body } = made;
      if (isBodyStream(body)) onAbort(request.signal, () => body.cancel());
      return toResponse(made);
    },
    inFlight: load.inFlight,
    async listen(address) {
      const listening = await listen(answer, address, {
        requestTimeout: config.requestTimeoutMs,
        most: config.maxStreams + PER_REQUEST * config.maxInFlight,
        isProxy: (text) => isProxy(parseAddress(text) ?? 0n),
      });
      return {
        ...listening,
        async close(graceMs) {
          await listening.close(graceMs);
          load.close();
        },
      };
    },
  };
}

function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener);
}

/** Probes are answered however loaded the server is. People who sign in have a room of their own, and so have creations. */
function roomOf(endpoint: AnyEndpoint | null): LoadPool {
  if (endpoint?.probe) return "probes";
  if (endpoint?.queued) return "creations";
  return endpoint?.scope === "flow" ? "people" : "general";
}

function headersOf({ headers }: Request): Parameters<typeof readTraceHeaders>[0] {
  return { traceparent: headers.get("traceparent"), tracestate: headers.get("tracestate") };
}

/** The client's own id is taken when it is one that cannot hurt a log. */
function wellFormedId(id: string | null): string | null {
  return id !== null && /^[A-Za-z0-9._-]{1,128}$/.test(id) ? id : null;
}
