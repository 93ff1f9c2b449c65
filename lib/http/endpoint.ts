/**
 * Defines how a route module declares its endpoints: access, scope, inputs, replies and faults. The server, the OpenAPI
 * document and the tests all read these declarations.
 */
import type * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { AccessRule, Actor, TokenScope } from "#lib/domains/auth/access.ts";
import type { SignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
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
 * The credentials that an endpoint accepts. A token scope: sessions, and tokens with this scope or a wider scope.
 * `session`: only sessions. `flow`: no credentials required, but an Authorization header is refused. `public`: no
 * credentials required; all credentials are ignored.
 */
export type EndpointScope = TokenScope | "session" | "flow" | "public";

export const HTTP_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** The exports of a file in routes/: an endpoint for each HTTP method. */
export type RouteModule = { readonly [M in HttpMethod]?: AnyEndpoint };

/** All route modules with their path patterns, in the order in which the patterns are tried. */
export type Manifest = readonly (readonly [pattern: string, module: RouteModule])[];

/** Returns an endpoint's alternative paths. Sign-in flows and the changelog feed also work without the /api prefix. */
export function listAliasPaths(pattern: string): readonly string[] {
  return /^\/api\/(?:auth\/|changelog\.atom$)/.test(pattern) ? [pattern.slice("/api".length)] : [];
}

/** Returns a path as the API reference shows it: `/api/spokes/{spokeId}` for `/api/spokes/:spokeId`. */
export function formatDocumentedPath(pattern: string): string {
  return pattern.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}");
}

/** Information about the server that endpoints can return. */
export interface ServerInfo {
  readonly manifest: Manifest;
  /** Runs the readiness checks; concurrent calls share one run. Throws an `unavailable` fault (`not_ready`). */
  readonly readiness: () => Promise<Readiness>;
  /** Returns the OpenAPI document, which is built only once. */
  readonly document: () => { readonly openapi: "3.1.0" };
  readonly releases: readonly ReleaseNotes[];
}

export interface EndpointDeprecation {
  /** The ISO date of the announcement. Must be at least 30 days before `sunset`, or the process does not start. */
  readonly since: string;
  readonly sunset: string;
  readonly note: string;
}

export type EndpointCall<A, L, P, Q, B> =
  & {
    /** The application context. Its database queries are cancelled together with the request. */
    readonly app: App;
    readonly actor: A;
    readonly params: Parsed<P>;
    readonly query: Parsed<Q>;
    readonly body: Parsed<B>;
    readonly request: Request;
    /** The client's IP address. Taken from `X-Forwarded-For` only behind a trusted proxy. */
    readonly ip: string;
    readonly userAgent: string;
    readonly signal: AbortSignal;
    /** The unparsed body if the endpoint declares `raw`; otherwise an empty array. */
    readonly raw: Uint8Array;
    /** The Idempotency-Key. Null if the endpoint does not accept this header, or the request does not contain it. */
    readonly idempotency: IdempotencyKey | null;
    /** Counts a login attempt of the client's network. Throws a `limited` fault (`too_many_tries`). */
    readonly countLoginAttempt: () => void;
    /** Runs work that creates a spoke. It waits in the hub's queue, so that each hub creates one spoke at a time. */
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
  /** The start of the message "… requires a session", which callers with a token get. Only for scope `session`. */
  readonly purpose?: string;
  /** Whether the endpoint is a probe. Probes get a response even under load, so that a busy server is not restarted. */
  readonly probe?: boolean;
  /**
   * Whether a session must be recent: the user signed in or confirmed the session within 15 minutes. Not required of
   * tokens, whose creation required it. `when` limits the requirement to some requests.
   */
  readonly recentSignIn?: true | { when(request: { readonly query: Parsed<Q>; readonly body: Parsed<B> }): boolean };
  /** Whether users who must set up a second factor can use the endpoint before they do. */
  readonly duringEnrolment?: true;
  /** The message in the 429 response. If set, calls are rate-limited per client network. */
  readonly rateLimitMessage?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Whether the body is an HTML form rather than JSON. */
  readonly form?: boolean;
  /** Whether the endpoint gets the unparsed body, for example to check a signature. Not allowed with `body`. */
  readonly raw?: boolean;
  /** Whether this is a portal page. Portal pages exist only with PORTAL=on and are not in the API reference. */
  readonly portal?: boolean;
  /** Renders an error as a page; if absent, errors are sent as JSON. */
  readonly errorPage?: (problem: RequestRefusal) => HtmlPage;
  /** Renders an error as a page for clients that accept HTML. Other clients get JSON. */
  readonly negotiatedErrorPage?: (problem: RequestRefusal) => HtmlPage;
  /** Whether calls wait in the creation queue (creation-queue.ts) instead of being refused under load. */
  readonly queued?: boolean;
  /** Whether a page refuses unknown query parameters, as other endpoints do. */
  readonly strict?: true;
  /** Whether the endpoint accepts an Idempotency-Key header. */
  readonly idempotent?: boolean;
  /** How long caches may store the response, in seconds. The response gets an ETag. Only for scope `public`. */
  readonly cacheSeconds?: number;
  /** Whether the response never changes and can be rendered just once. Requires `cacheSeconds`. */
  readonly renderedOnce?: boolean;
  /** Whether clients poll this endpoint. If the response's ETag is unchanged, the client gets an empty 304 response. */
  readonly polled?: boolean;
  readonly reply: Reply<T, Result>;
  /** Extra fault codes, beyond the codes that the other properties imply. */
  readonly faults?: readonly FaultCode[];
  readonly deprecated?: EndpointDeprecation;
  handle(call: EndpointCall<A, L, P, Q, B>): NoInfer<T> | Promise<NoInfer<T>>;
}

export interface RequestRefusal {
  readonly statusCode: number;
  readonly code: string;
  readonly message: string;
  /** The path of the page to return to, for example after signing in. Null if the request was not for a page. */
  readonly path: string | null;
  readonly methods: SignInMethods;
}

export function withoutPortal(manifest: Manifest): Manifest {
  return manifest.filter(([, module]) => HTTP_METHODS.every((method) => !module[method]?.portal));
}

/** Returns whether the endpoint's responses have an ETag. */
export function hasEtag({ cacheSeconds, polled }: Pick<AnyEndpoint, "cacheSeconds" | "polled">): boolean {
  return cacheSeconds !== undefined || polled === true;
}

// deno-lint-ignore no-explicit-any
export type AnyEndpoint = Endpoint<any, any, any, any, any, any, any>;

export function endpoint<
  A extends Actor | null,
  L extends object,
  T,
  Result,
  P extends Input = undefined,
  Q extends Input = undefined,
  B extends Input = undefined,
>(declaration: Endpoint<A, L, P, Q, B, T, Result>): Endpoint<A, L, P, Q, B, T, Result> {
  return Object.freeze(declaration);
}
