/**
 * Defines replies: the HTTP status, the documentation, and how a handler's value becomes a response. JSON is filtered
 * by a schema, so that database columns that the schema does not list cannot leak.
 */
import * as v from "valibot";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type { HttpResponse } from "#lib/http/response.ts";
import { buildContentSecurityPolicy, type HtmlPage, renderPage } from "#lib/http/page.ts";
import { compileOutputFilter, FILTER_MISMATCH, type OutputFilter } from "#lib/http/output-filter.ts";
import { streamJsonArray } from "#lib/http/list-stream.ts";
import { createFrameEncoder, EVENT_STREAM_TYPE, type EventStreamSource, toBodyStream } from "#lib/http/sse.ts";

type Schema<In, Out = unknown> = v.GenericSchema<In, Out>;

/** A kind of response. Handlers return `T`. Code in the same process, such as a page, gets the second type. */
export interface Reply<T, Result = unknown> {
  readonly status: number;
  readonly content: ReplyContent | null;
  readonly headers: readonly string[];
  /** The second possible reply of an endpoint that uses `combineReplies`, for the API reference. */
  readonly alternative?: ReplyDescription;
  /** Converts the handler's value to a response. `address`, the request's URL, is the base for links to other pages. */
  readonly send: (value: T, address?: URL) => HttpResponse;
  /** Filters the handler's value for code in the same process, such as pages, which get the same data as clients. */
  readonly toResult: (value: T) => Result;
}

/** The parts of a reply that the API reference shows. */
export type ReplyDescription = Pick<Reply<never>, "status" | "content" | "headers">;

export interface ReplyContent {
  readonly type: string;
  // deno-lint-ignore no-explicit-any
  readonly schema: Schema<any>;
}

export function okReply<In, Out>(schema: Schema<In, Out>): Reply<In, Out> {
  return json(200, schema);
}

/**
 * A reply with one page of a list. Its Link header (RFC 8288) points to the next page and keeps the filters. The last
 * page has no Link header.
 */
export function pageReply<In, Out>(item: Schema<In, Out>): Reply<ListPage<In>, ListPage<Out>> {
  const list = okReply(v.array(item));
  return {
    ...list,
    headers: ["link"],
    send({ items, next, rest }, address) {
      const format = (part: readonly In[]) => list.send([...part]).body as string, answer = list.send([...items]);
      if (rest) return { ...answer, body: streamJsonArray(answer.body as string, rest, format) };
      if (next === null || !address) return answer;
      const query = new URLSearchParams(address.searchParams);
      query.set("before", next);
      return { ...answer, headers: { ...answer.headers, link: `<${address.pathname}?${query}>; rel="next"` } };
    },
    toResult: ({ items, next }) => ({ items: list.toResult([...items]), next }),
  };
}

/** A 201 reply with the new object. `location` returns the path for the Location header. */
export function createdReply<In, Out>(schema: Schema<In, Out>, location: (object: Out) => string): Reply<In, Out> {
  return json(201, schema, (object) => ({ location: location(object) }), ["location"]);
}

/** A 201 reply with a value that is shown only once and has no path, such as a new token. */
export function createdSecretReply<In, Out>(schema: Schema<In, Out>): Reply<In, Out> {
  return json(201, schema);
}

/** A 202 reply for work that continues after the response is sent. */
export function acceptedReply<In, Out>(schema: Schema<In, Out>): Reply<In, Out> {
  return json(202, schema);
}

export const noContentReply: Reply<void, void> = {
  status: 204,
  content: null,
  headers: [],
  send: () => ({ status: 204, headers: { "cache-control": "no-store" }, body: null }),
  toResult: () => {},
};

/** A 200 reply with text of the given content type. */
export function textReply(type: string): Reply<string, string> {
  return {
    status: 200,
    content: { type: type.replace(/;.*/, ""), schema: v.string() },
    headers: [],
    send: (body) => ({ status: 200, headers: { "content-type": type, "cache-control": "no-store" }, body }),
    toResult: identity,
  };
}

/** A reply with an HTML page, which has its own Content-Security-Policy (page.ts). */
export function htmlReply(status = 200): Reply<HtmlPage, HtmlPage> {
  const type = "text/html; charset=utf-8";
  return {
    status,
    content: { type: "text/html", schema: v.string() },
    headers: [],
    send: (page) => ({
      status,
      headers: {
        "content-type": type,
        "cache-control": "no-store",
        "content-security-policy": buildContentSecurityPolicy(page),
      },
      body: renderPage(page),
    }),
    toResult: identity,
  };
}

/** A reply that redirects permanently to another path (308). */
export const redirectReply: Reply<string, string> = redirectWith(308);

/** A reply that redirects to another path, which the client then requests with GET (303). */
export const seeOtherReply: Reply<string, string> = redirectWith(303);

function redirectWith(status: number): Reply<string, string> {
  return {
    status,
    content: null,
    headers: ["location"],
    send: (location) => ({ status, headers: { location, "cache-control": "no-store" }, body: null }),
    toResult: identity,
  };
}

/** Adds a Set-Cookie header to a reply. `cookie` is the header's value, which sets or clears the cookie. */
export function addCookieHeader<T, Result>(reply: Reply<T, Result>): Reply<WithCookie<T>, WithCookie<Result>> {
  return {
    ...reply,
    headers: [...reply.headers, "set-cookie"],
    send({ body, cookie }) {
      const answer = reply.send(body);
      return { ...answer, headers: { ...answer.headers, "set-cookie": cookie } };
    },
    toResult: ({ body, cookie }) => ({ body: reply.toResult(body), cookie }),
  };
}

interface WithCookie<T> {
  readonly body: T;
  readonly cookie: string;
}

/** A reply that streams server-sent events, with their data filtered by the schema. */
export function eventStreamReply<In extends object>(
  schema: Schema<In>,
): Reply<EventStreamSource<In>, EventStreamSource<In>> {
  const filter = createFilter(schema), encode = createFrameEncoder((data: In) => JSON.stringify(filter(data)));
  return {
    status: 200,
    content: { type: EVENT_STREAM_TYPE, schema },
    headers: [],
    send: (source) => ({
      status: 200,
      // X-Accel-Buffering tells nginx not to buffer the events.
      headers: { "content-type": EVENT_STREAM_TYPE, "cache-control": "no-store", "x-accel-buffering": "no" },
      body: toBodyStream(source, encode),
    }),
    toResult: identity,
  };
}

function json<In, Out>(
  status: number,
  schema: Schema<In, Out>,
  headersOf: (output: Out) => Record<string, string> = () => ({}),
  headers: readonly string[] = [],
): Reply<In, Out> {
  const filter = createFilter(schema);
  return {
    status,
    content: { type: "application/json", schema },
    headers,
    send(value) {
      const output = filter(value);
      const headers = { "content-type": "application/json", "cache-control": "no-store", ...headersOf(output) };
      return { status, headers, body: JSON.stringify(output) };
    },
    toResult: filter,
  };
}

function identity<T>(value: T): T {
  return value;
}

/** Returns a function that filters values by the schema. Throws Error if a value does not match; this is a bug. */
function createFilter<In, Out>(schema: Schema<In, Out>): (value: In) => Out {
  let pick: OutputFilter | undefined;
  return (value) => {
    const picked = (pick ??= compileOutputFilter(schema))(value);
    if (picked !== FILTER_MISMATCH) return picked as Out;
    const result = v.safeParse(schema, value);
    if (result.success) return result.output;
    throw new Error(`The reply does not match its schema: ${v.summarize(result.issues)}`, {
      cause: new v.ValiError(result.issues),
    });
  };
}

type Either<A, B> = { readonly usual: A } | { readonly other: B };

/** Combines two replies with different statuses. The handler returns `{ usual }` or `{ other }` to select one. */
export function combineReplies<A, B, ResultA, ResultB>(
  usual: Reply<A, ResultA>,
  other: Reply<B, ResultB>,
): Reply<Either<A, B>, Either<ResultA, ResultB>> {
  return {
    ...usual,
    alternative: other,
    send: (value) => "usual" in value ? usual.send(value.usual) : other.send(value.other),
    toResult: (value) =>
      "usual" in value ? { usual: usual.toResult(value.usual) } : { other: other.toResult(value.other) },
  };
}
