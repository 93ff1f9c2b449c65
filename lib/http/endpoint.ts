/**
 * Defines the declaration of an endpoint, which every route module exports. It declares access, scope, inputs, replies
 * and faults. The server, the OpenAPI document and the tests all read it.
 */
import type * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { AccessRule, Actor, TokenScope } from "#lib/domains/auth/access.ts";
import type { ReleaseNotes } from "#lib/domains/changelog/releases.ts";
import type { FaultCode } from "#lib/base/faults.ts";
import type { CreationQueue } from "#lib/http/creation-queue.ts";
import type { HtmlPage } from "#lib/http/page.ts";
import type { Readiness } from "#lib/http/readiness.ts";
import type { Reply } from "#lib/http/reply.ts";
import type { IdempotencyKey } from "#lib/idempotency/store.ts";

// deno-lint-ignore no-explicit-any
type Input = v.GenericSchema<any, any> | undefined;
// deno-lint-ignore no-explicit-any
type Parsed<S> = S extends v.GenericSchema<any, infer Out> ? Out : undefined;

/**
 * The accepted credentials. A token scope means that tokens need this scope or a wider one, and that sessions are
 * accepted. `session` requires a session and refuses tokens. `flow` requires nothing and refuses any Authorization
 * header. `public` ignores credentials.
 */
export type EndpointScope = TokenScope | "session" | "flow" | "public";

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** The exports of a file in routes/. */
export type RouteModule = { readonly [M in HttpMethod]?: AnyEndpoint };

/** All routes, in the order in which their patterns are matched. */
export type Manifest = readonly (readonly [pattern: string, module: RouteModule])[];

/** Returns the other paths of an endpoint. Sign-in flows and the changelog feed also work without the prefix /api. */
export function aliasesOf(pattern: string): readonly string[] {
  return /^\/api\/(?:auth\/|changelog\.atom$)/.test(pattern) ? [pattern.slice("/api".length)] : [];
}

/** Returns the path as documented: `/api/spokes/{spokeId}` for `/api/spokes/:spokeId`. */
export function documentedPath(pattern: string): string {
  return pattern.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}");
}

/** The functions through which endpoints read the state of the server. */
export interface ServerInfo {
  readonly manifest: Manifest;
  /** Runs the readiness checks, once for simultaneous callers. Throws an `unavailable` fault (`not_ready`). */
  readonly readiness: () => Promise<Readiness>;
  /** Returns the OpenAPI document, which is built once. */
  readonly document: () => { readonly openapi: "3.1.0" };
  readonly releases: readonly ReleaseNotes[];
}

export interface Deprecation {
  /** ISO dates. `sunset` must be at least 30 days after `since`, or the process does not start. */
  readonly since: string;
  readonly sunset: string;
  readonly note: string;
}

export type EndpointCall<A, L, P, Q, B> =
  & {
    /** The app. Its database queries are cancelled with the request. */
    readonly app: App;
    readonly actor: A;
    readonly params: Parsed<P>;
    readonly query: Parsed<Q>;
    readonly body: Parsed<B>;
    readonly request: Request;
    /** The client's IP address. `X-Forwarded-For` is used only behind a trusted proxy. */
    readonly ip: string;
    readonly userAgent: string;
    readonly signal: AbortSignal;
    /** The unparsed body, if the endpoint declares `raw`; otherwise empty. */
    readonly raw: Uint8Array;
    /** The Idempotency-Key, if the endpoint accepts one and the request has one. */
    readonly idempotency: IdempotencyKey | null;
    /** Runs a creation in the queue of its hub. */
    readonly runInHubQueue: CreationQueue["runInHubQueue"];
    readonly service: ServerInfo;
  }
  & Omit<L, "actor">;

export interface Endpoint<
  A extends Actor | null,
  L extends object,
  P extends Input,
  Q extends Input,
  B extends Input,
  T,
  Result,
> {
  readonly summary: string;
  readonly access: AccessRule<A, L>;
  readonly scope: EndpointScope;
  /** The subject of the message "… requires a session" when a token is sent. Only for scope `session`. */
  readonly purpose?: string;
  /** Whether this is a probe. Probes are answered even under load, so that a busy server is not restarted. */
  readonly probe?: boolean;
  /** The message of the 429. If set, calls count in the rate limit of the client's network. */
  readonly rateLimitMessage?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Whether the body is an HTML form instead of JSON. */
  readonly form?: boolean;
  /** Whether the endpoint gets the unparsed body, to check a signature. It cannot be combined with `body`. */
  readonly raw?: boolean;
  /** Whether this is a page of the portal. Such pages exist only with PORTAL=on and are not documented. */
  readonly portal?: boolean;
  /** Renders errors as a page instead of JSON. */
  readonly errorPage?: (problem: RequestRefusal) => HtmlPage;
  /** Renders errors as a page for clients that accept HTML. Other clients get JSON. */
  readonly negotiatedErrorPage?: (problem: RequestRefusal) => HtmlPage;
  /** Whether calls wait in the creation queue instead of being refused (creation-queue.ts). */
  readonly queued?: boolean;
  /** Whether a page refuses unknown query parameters, like other endpoints. */
  readonly strict?: true;
  /** Whether the endpoint accepts an Idempotency-Key header. */
  readonly idempotent?: boolean;
  /** Seconds for which caches may store the response. The response gets an ETag. Only for scope `public`. */
  readonly cacheSeconds?: number;
  /** Whether to render the response only once, because it never changes. Requires `cacheSeconds`. */
  readonly renderedOnce?: boolean;
  /** Whether clients poll this endpoint. The response gets an ETag, and unchanged responses become an empty 304. */
  readonly polled?: boolean;
  readonly reply: Reply<T, Result>;
  /** Fault codes that do not follow from the other declarations. */
  readonly faults?: readonly FaultCode[];
  readonly deprecated?: Deprecation;
  handle(call: EndpointCall<A, L, P, Q, B>): NoInfer<T> | Promise<NoInfer<T>>;
}

export interface RequestRefusal {
  readonly statusCode: number;
  readonly message: string;
  /** The path of the page to retry, for example after signing in. Null if the request was not for a page. */
  readonly path: string | null;
}

/** Returns the manifest without the portal's pages. */
export function withoutPortal(manifest: Manifest): Manifest {
  return manifest.filter(([, module]) => HTTP_METHODS.every((method) => !module[method]?.portal));
}

/** Whether responses have an ETag. */
export function canRevalidate({ cacheSeconds, polled }: Pick<AnyEndpoint, "cacheSeconds" | "polled">): boolean {
  return cacheSeconds !== undefined || polled === true;
}

// deno-lint-ignore no-explicit-any
export type AnyEndpoint = Endpoint<any, any, any, any, any, any, any>;

export function endpoint<
  A extends Actor | null,
  L extends object,
  T,
  Told,
  P extends Input = undefined,
  Q extends Input = undefined,
  B extends Input = undefined,
>(declaration: Endpoint<A, L, P, Q, B, T, Told>): Endpoint<A, L, P, Q, B, T, Told> {
  return Object.freeze(declaration);
}
