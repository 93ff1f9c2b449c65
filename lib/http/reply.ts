/**
 * What an endpoint answers with: a status, a description of itself for the documents, and how a handler's value becomes
 * an answer. All JSON goes out through its schema, so that a column which nobody named cannot leak.
 */
import * as v from "valibot";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type { HttpResponse } from "#lib/http/response.ts";
import { contentSecurityPolicy, type HtmlPage, renderPage } from "#lib/http/page.ts";
import { compileFilter, type OutputFilter, UNDECIDED } from "#lib/http/output-filter.ts";
import { encoder, type FrameSource, STREAM_TYPE, toBodyStream } from "#lib/http/sse.ts";

type Schema<In, Out = unknown> = v.GenericSchema<In, Out>;

/** `T` is what a handler returns, `Told` what a caller within the program gets of it: see `tell`. */
export interface Reply<T, Told = unknown> {
  readonly status: number;
  readonly content: Content | null;
  /** Response headers that belong to this reply, by name. */
  readonly headers: readonly string[];
  /** What the endpoint answers with otherwise, see either.ts; here for the documents. */
  readonly alternative?: ReplyDescription;
  /** The address of the request is for links to others of its kind, such as the next page. */
  readonly send: (value: T, address?: URL) => HttpResponse;
  /** What a page is made of, which asks within the program: of the value the same as would be sent, and no more. */
  readonly toResult: (value: T) => Told;
}

/** What the documents say of a reply. */
export type ReplyDescription = Pick<Reply<never>, "status" | "content" | "headers">;

export interface Content {
  readonly type: string;
  // deno-lint-ignore no-explicit-any
  readonly schema: Schema<any>;
}

export function ok<In, Out>(schema: Schema<In, Out>): Reply<In, Out> {
  return json(200, schema);
}

/** A page of a list. Its Link header (RFC 8288) leads to the next page, with the same filters; the last page has none. */
export function paged<In, Out>(item: Schema<In, Out>): Reply<ListPage<In>, ListPage<Out>> {
  const whole = ok(v.array(item));
  return {
    ...whole,
    headers: ["link"],
    send({ items, next }, address) {
      const answer = whole.send([...items]);
      if (next === null || !address) return answer;
      const query = new URLSearchParams(address.searchParams);
      query.set("before", next);
      return { ...answer, headers: { ...answer.headers, link: `<${address.pathname}?${query}>; rel="next"` } };
    },
    toResult: ({ items, next }) => ({ items: whole.toResult([...items]), next }),
  };
}

/** For what exists from now on; `location` is the path at which it can be read. */
export function created<In, Out>(schema: Schema<In, Out>, location: (made: Out) => string): Reply<In, Out> {
  return json(201, schema, (made) => ({ location: location(made) }), ["location"]);
}

/** For what is shown in this answer and nowhere else: there is no path at which it can be read. */
export function createdSecret<In, Out>(schema: Schema<In, Out>): Reply<In, Out> {
  return json(201, schema);
}

/** For what is on its way: the work goes on after the answer. */
export function accepted<In, Out>(schema: Schema<In, Out>): Reply<In, Out> {
  return json(202, schema);
}

export const noContent: Reply<void, void> = {
  status: 204,
  content: null,
  headers: [],
  send: () => ({ status: 204, headers: { "cache-control": "no-store" }, body: null }),
  toResult: () => {},
};

/** Text of the given type, as it stands. */
export function plainText(type: string): Reply<string, string> {
  return {
    status: 200,
    content: { type: type.replace(/;.*/, ""), schema: v.string() },
    headers: [],
    send: (body) => ({ status: 200, headers: { "content-type": type, "cache-control": "no-store" }, body }),
    toResult: identity,
  };
}

/** A page for people, under a policy of its own: it asks nobody for anything, see page.ts. */
export function html(status = 200): Reply<HtmlPage, HtmlPage> {
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
        "content-security-policy": contentSecurityPolicy(page),
      },
      body: renderPage(page),
    }),
    toResult: identity,
  };
}

/** Sends the caller on to this path, for good. */
export const redirect: Reply<string, string> = redirectWith(308);

/** The same for this time, to be read with GET. */
export const seeOther: Reply<string, string> = redirectWith(303);

function redirectWith(status: number): Reply<string, string> {
  return {
    status,
    content: null,
    headers: ["location"],
    send: (location) => ({ status, headers: { location, "cache-control": "no-store" }, body: null }),
    toResult: identity,
  };
}

/** The same reply and a cookie; `cookie` is the whole value of a Set-Cookie header, which makes it or clears it. */
export function withCookie<T, Told>(reply: Reply<T, Told>): Reply<WithCookie<T>, WithCookie<Told>> {
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

/** Server-sent events, whose data is filtered through the schema. */
export function events<In extends object>(schema: Schema<In>): Reply<FrameSource<In>, FrameSource<In>> {
  const filter = createFilter(schema), encode = encoder((data: In) => JSON.stringify(filter(data)));
  return {
    status: 200,
    content: { type: STREAM_TYPE, schema },
    headers: [],
    send: (source) => ({
      status: 200,
      // The last header keeps nginx from holding events back until a buffer of its own is full.
      headers: { "content-type": STREAM_TYPE, "cache-control": "no-store", "x-accel-buffering": "no" },
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

/** What the schema makes of a value. That one does not fit is this program's mistake and no caller's. */
function createFilter<In, Out>(schema: Schema<In, Out>): (value: In) => Out {
  let pick: OutputFilter | undefined;
  return (value) => {
    const picked = (pick ??= compileFilter(schema))(value);
    if (picked !== UNDECIDED) return picked as Out;
    const result = v.safeParse(schema, value);
    if (result.success) return result.output;
    throw new Error(`The reply does not fit its schema: ${v.summarize(result.issues)}`, {
      cause: new v.ValiError(result.issues),
    });
  };
}

type Either<A, B> = { readonly usual: A } | { readonly other: B };

/**
 * One endpoint, two answers: the value of the handler says which it is for. Their statuses must differ: by them the
 * documents tell the two apart.
 */
export function eitherReply<A, B, ToldA, ToldB>(
  usual: Reply<A, ToldA>,
  other: Reply<B, ToldB>,
): Reply<Either<A, B>, Either<ToldA, ToldB>> {
  return {
    ...usual,
    alternative: other,
    send: (value) => "usual" in value ? usual.send(value.usual) : other.send(value.other),
    toResult: (value) =>
      "usual" in value ? { usual: usual.toResult(value.usual) } : { other: other.toResult(value.other) },
  };
}
