/**
 * The declaration that every route module exports.
 *
 * One value says who may call, with what token, what comes in, what goes out and what can go wrong. The server mounts
 * it, the OpenAPI document is read from it, and the tests walk it, so that the three cannot disagree.
 */
import type * as v from "valibot";
import type { App } from "#lib/app.ts";
import type { Access, Actor, TokenScope } from "#lib/domains/auth/access.ts";
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
 * Who may bring what credential:
 * a token scope is the least scope whose token may call it (sessions always may); `session` needs a session, and a
 * bearer is 401; `flow` needs nothing, and any Authorization header is 401 before all else; `public` ignores it.
 */
export type EndpointScope = TokenScope | "session" | "flow" | "public";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** What a file in routes/ exports. */
export type RouteModule = { readonly [M in Method]?: AnyEndpoint };

/** Every route, in the order in which patterns are tried. */
export type Manifest = readonly (readonly [pattern: string, module: RouteModule])[];

/**
 * The addresses of flows are documented without /api before them, and a feed's is known without: readers of feeds keep it
 * for years. Whichever is used, it is the same endpoint.
 */
export function aliasesOf(pattern: string): readonly string[] {
  return /^\/api\/(?:auth\/|changelog\.atom$)/.test(pattern) ? [pattern.slice("/api".length)] : [];
}

/** A route's pattern as the reference writes it: `/api/spokes/:spokeId` is `/api/spokes/{spokeId}`. */
export function documentedPath(pattern: string): string {
  return pattern.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}");
}

/** What only the server knows of itself, for the endpoints that tell it. */
export interface Service {
  readonly manifest: Manifest;
  /** Whether what must work does: asked once for all who want to know at the same time. Throws Fault unavailable. */
  readonly readiness: () => Promise<Readiness>;
  /** The OpenAPI document, which is made once. */
  readonly document: () => { readonly openapi: "3.1.0" };
  readonly releases: readonly ReleaseNotes[];
}

export interface Deprecation {
  /** ISO dates; sunset is at least 30 days after since, or the process does not start. */
  readonly since: string;
  readonly sunset: string;
  readonly note: string;
}

export type EndpointCall<A, L, P, Q, B> =
  & {
    /** The app of this request: its `db` is cancelled with the request. */
    readonly app: App;
    readonly actor: A;
    readonly params: Parsed<P>;
    readonly query: Parsed<Q>;
    readonly body: Parsed<B>;
    readonly request: Request;
    /** The client's address, `X-Forwarded-For` taken into account only behind a trusted proxy. */
    readonly ip: string;
    readonly userAgent: string;
    readonly signal: AbortSignal;
    /** The body as it came, of an endpoint that declares `raw`; of any other it is empty. */
    readonly raw: Uint8Array;
    /** From the Idempotency-Key header, where the endpoint takes one. */
    readonly idempotency: IdempotencyKey | null;
    /** Runs work that creates something in a hub, in the hub's turn. */
    readonly runInHubQueue: CreationQueue["runInHubQueue"];
    readonly service: Service;
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
  readonly access: Access<A, L>;
  readonly scope: EndpointScope;
  /** With scope `session`: what it is that requires a session, for the message of a bearer's 401. */
  readonly purpose?: string;
  /** A probe: answered however loaded the server is, for one that fails for load would have it killed for being busy. */
  readonly probe?: boolean;
  /** Attempts are counted in the login bucket of the client's address; the value is the message of its 429. */
  readonly rateLimitMessage?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The body is an HTML form's, where it is JSON otherwise. */
  readonly form?: boolean;
  /** The body is handed on as it came, byte by byte, for a signature that is made over these. It excludes `body`. */
  readonly raw?: boolean;
  /** A page of the portal: it is there only with PORTAL=on, and no part of what the documents promise. */
  readonly portal?: boolean;
  /** How a refusal is shown where people call, and not programs: a page in place of the JSON. */
  readonly errorPage?: (problem: RequestRefusal) => HtmlPage;
  /** The same where both call: a page for a client that asks for HTML, JSON for all others. */
  readonly negotiatedErrorPage?: (problem: RequestRefusal) => HtmlPage;
  /** Never refused because others wait: see creations.ts. */
  readonly queued?: boolean;
  /** A page that refuses unknown query parameters, as all that is no page does. */
  readonly strict?: true;
  /** Takes an Idempotency-Key header. */
  readonly idempotent?: boolean;
  /**
   * Seconds for which the answer holds, no matter who asks: caches may keep it, and who asks again with its ETag is
   * told that it is as it was. For scope `public` alone, or the process does not start.
   */
  readonly cacheSeconds?: number;
  /** The answer is the same for as long as the process lives, so it is made once; it needs `holds`. */
  readonly renderedOnce?: boolean;
  /** Who waits asks for this again and again: told by the last answer's ETag that it is as it was, it is sent no body. */
  readonly polled?: boolean;
  readonly reply: Reply<T, Result>;
  /** Codes of the faults that are this endpoint's own, besides those that follow from the rest of its declaration. */
  readonly faults?: readonly FaultCode[];
  readonly deprecated?: Deprecation;
  handle(call: EndpointCall<A, L, P, Q, B>): NoInfer<T> | Promise<NoInfer<T>>;
}

/** Why a request was refused, for a page that says it. */
export interface RequestRefusal {
  readonly statusCode: number;
  readonly message: string;
  /** Where a person who can do what is asked for goes on: the page itself, or null where it was not a page. */
  readonly path: string | null;
}

/** The manifest without the portal's pages: what a program may rely on. */
export function withoutPortal(manifest: Manifest): Manifest {
  return manifest.filter(([, module]) => METHODS.every((method) => !module[method]?.portal));
}

/** Whether its answers have an ETag, by which a client may ask whether they are as they were. */
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
