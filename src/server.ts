/** Builds the HTTP server. Each request passes through the functions in the list `middleware`, in order. */
import type { App } from "#lib/app.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import { listSignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
import type { ReleaseNotes } from "#lib/domains/changelog/releases.ts";
import { type CallCounter, DISABLED_CALL_COUNTER } from "#lib/domains/deprecations/calls.ts";
import type { ApiDocument } from "#lib/reference/document.ts";
import { buildPublishedOpenApi } from "#lib/reference/publish.ts";
import { createId } from "#lib/base/ids.ts";
import { type HttpResponse, isBodyStream, toResponse } from "#lib/http/response.ts";
import { createBodyReader } from "#lib/http/body.ts";
import { type AnyEndpoint, type Manifest, withoutPortal } from "#lib/http/endpoint.ts";
import { compressResponse } from "#lib/http/compress.ts";
import { createCreationQueues } from "#lib/http/creation-queue.ts";
import type { ClientDisconnected, HttpExchange } from "#lib/http/exchange.ts";
import type { Fault } from "#lib/base/errors.ts";
import {
  addHeaders,
  enforceDeadline,
  logAccess,
  type Middleware,
  receiveBody,
  recordTelemetry,
  renderErrors,
  runMiddleware,
  setWorkContext,
  shedLoad,
} from "#lib/http/middleware.ts";
import { type Authenticate, mountRoutes } from "#lib/http/mount.ts";
import { createReadinessProbe, type ReadinessCheck } from "#lib/http/readiness.ts";
import { renderRefusalPage } from "#lib/portal/page/refusal-page.ts";
import { parseCidrNetworks, parseIpAddress } from "#lib/base/limits/address.ts";
import { createRateLimit, type RateLimit } from "#lib/base/limits/rate-limit.ts";
import { createClientAddressFinder } from "#lib/base/limits/client-address.ts";
import { openTimeBudget } from "#lib/base/limits/time-budget.ts";
import { type LoadPool, type LoadShedderOptions, openLoadShedder } from "#lib/base/limits/load-shedding.ts";
import { createIncompleteBodyLimit } from "#lib/base/limits/unread-bodies.ts";
import { readTraceHeaders, startSpanContext } from "#lib/base/trace.ts";
import { type HttpListener, type ListenAddress, type RequestClient, startHttpListener } from "./listen.ts";
import { createReadinessChecks } from "./readiness.ts";
import { releases } from "./releases.ts";

interface ServerOptions {
  /** Returns whether this process's scheduler is running. Absent if the process has no scheduler. */
  readonly isSchedulerReady?: () => boolean;
  /** Returns false once the process is stopping. If absent, the process counts as always running. */
  readonly isRunning?: () => boolean;
  readonly authenticate?: Authenticate;
  readonly checks?: readonly ReadinessCheck[];
  /** Returns additional notes for readyz. If absent, readyz has no additional notes. */
  readonly notes?: () => readonly string[];
  /** Counts API calls per token. If absent, API calls are not counted. */
  readonly calls?: Pick<CallCounter, "count">;
  /** The changes in each release. Defaults to this program's own releases. */
  readonly releases?: readonly ReleaseNotes[];
  /** The clock for measuring how late the event loop runs. Defaults to the system clock. */
  readonly lateness?: Pick<LoadShedderOptions, "now" | "every">;
  /** Limits sign-in attempts. Defaults to a rate limit that uses the system clock. */
  readonly bucket?: RateLimit;
}

export interface Server {
  /** Handles a request as if it had arrived over a socket, and returns the response. Never throws. */
  request(request: Request, peer?: RequestClient): Promise<Response>;
  /** Returns the number of running requests, including sign-ins but excluding probes and creations. */
  inFlight(): number;
  listen(address: ListenAddress): Promise<HttpListener>;
}

const LOCAL_PEER: RequestClient = { address: "127.0.0.1", sent: Promise.resolve() };
const MAX_USER_AGENT_LENGTH = 500;
const CONNECTIONS_PER_REQUEST = 8; // allowed connections per running request; most connections are idle

export function openServer(app: App, allRoutes: Manifest, options: ServerOptions = {}): Server {
  const { config } = app, manifest = config.portal ? allRoutes : withoutPortal(allRoutes);
  const load = openLoadShedder({ maxInFlight: config.maxInFlight, telemetry: app.telemetry, ...options.lateness });
  const openTurns = createCreationQueues(app.db.stats().size);
  const unread = createIncompleteBodyLimit(config.bodyLimitBytes);
  const findClient = createClientAddressFinder(config.trustedProxies, app.log);
  const isProxy = parseCidrNetworks(config.trustedProxies);
  let document: ApiDocument | undefined;
  const findRoute = mountRoutes({
    app,
    service: {
      manifest,
      readiness: createReadinessProbe(
        app,
        options.checks ?? createReadinessChecks(options.isSchedulerReady, options.isRunning),
        options.notes ?? (() => []),
      ),
      document: () => document ??= buildPublishedOpenApi(manifest, app.release),
      releases: options.releases ?? releases,
    },
    authenticate: options.authenticate ?? authenticate,
    rateLimit: options.bucket ?? createRateLimit(),
    calls: options.calls ?? DISABLED_CALL_COUNTER,
    ...(config.portal && { negotiatedErrorPage: renderRefusalPage }),
  });

  const middleware: readonly Middleware[] = [
    setWorkContext,
    recordTelemetry(app.telemetry),
    logAccess,
    addHeaders(config.publicUrl),
    compressResponse,
    renderErrors(listSignInMethods(app)),
    receiveBody,
    shedLoad,
    enforceDeadline(config.requestTimeoutMs),
  ];

  function open(request: Request, peer: RequestClient): HttpExchange {
    const url = new URL(request.url);
    const id = parseRequestId(request.headers.get("x-request-id")) ?? createId("req");
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
      userAgent: (request.headers.get("user-agent") ?? "").slice(0, MAX_USER_AGENT_LENGTH),
      log,
      contextIds: {},
      signal,
      abort: (reason: Fault | ClientDisconnected) => aborting.abort(reason),
      body: createBodyReader(request, ip, { limit: config.bodyLimitBytes, unread }),
      loadSlot: load.openSlot(loadPoolOf(route.endpoint)),
      timeBudget: allowance,
      creationQueue: openTurns({ ip, signal, timeBudget: allowance }),
      sent: peer.sent,
      onDisconnect: peer.onDisconnect ?? ((listener) => onAbort(request.signal, listener)),
    };
  }

  const answer = (request: Request, peer: RequestClient): Promise<HttpResponse> =>
    runMiddleware(middleware, open(request, peer));
  return {
    async request(request, peer = LOCAL_PEER) {
      const made = await answer(request, peer), { body } = made;
      if (isBodyStream(body)) onAbort(request.signal, () => body.cancel());
      return toResponse(made);
    },
    inFlight: load.inFlight,
    async listen(address) {
      const listening = await startHttpListener(answer, address, {
        requestTimeout: config.requestTimeoutMs,
        maxConnections: config.maxStreams + CONNECTIONS_PER_REQUEST * config.maxInFlight,
        isProxy: (text) => isProxy(parseIpAddress(text) ?? 0n),
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

/** Returns the pool that limits an endpoint's load. Sign-ins, creations and probes have separate pools. */
function loadPoolOf(endpoint: AnyEndpoint | null): LoadPool {
  if (endpoint?.probe) return "probes";
  if (endpoint?.queued) return "creations";
  return endpoint?.scope === "flow" ? "people" : "general";
}

function headersOf({ headers }: Request): Parameters<typeof readTraceHeaders>[0] {
  return { traceparent: headers.get("traceparent"), tracestate: headers.get("tracestate") };
}

/** Returns the client's request ID if it is safe to write to a log. Otherwise, returns null. */
function parseRequestId(id: string | null): string | null {
  return id !== null && /^[A-Za-z0-9._-]{1,128}$/.test(id) ? id : null;
}
