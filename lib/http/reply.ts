/**
 * What an endpoint answers with: a status, a description of itself for the documents, and how a handler's value becomes
 * an answer. All JSON goes out through its schema, so that a column which nobody named cannot leak.
 */
import * as v from "valibot";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import type { Answer } from "#lib/http/answer.ts";
import { type HtmlPage, policyOf, writePage } from "#lib/http/page.ts";
import { picker, type Picking, UNSURE } from "#lib/http/pick.ts";
import { encoder, flowOf, type FrameSource, STREAM_TYPE } from "#lib/http/sse.ts";

type Schema<In, Out = unknown> = v.GenericSchema<In, Out>;

/** `T` is what a handler returns, `Told` what a caller within the program gets of it: see `tell`. */
export interface Reply<T, Told = unknown> {
  readonly status: number;
  readonly content: Content | null;
  /** Response headers that belong to this reply, by name. */
  readonly headers: readonly string[];
  /** What the endpoint answers with otherwise, see either.ts; here for the documents. */
  readonly also?: Described;
  /** The address of the request is for links to others of its kind, such as the next page. */
  readonly send: (value: T, address?: URL) => Answer;
  /** What a page is made of, which asks within the program: of the value the same as would be sent, and no more. */
  readonly tell: (value: T) => Told;
}

/** What the documents say of a reply. */
export type Described = Pick<Reply<never>, "status" | "content" | "headers">;

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
    tell: ({ items, next }) => ({ items: whole.tell([...items]), next }),
  };
}

/** For what exists from now on; `location` is the path at which it can be read. */
export function created<In, Out>(schema: Schema<In, Out>, location: (made: Out) => string): Reply<In, Out> {
  return json(201, schema, (made) => ({ location: location(made) }), ["location"]);
}

/** For what is shown in this answer and nowhere else: there is no path at which it can be read. */
export function shownOnce<In, Out>(schema: Schema<In, Out>): Reply<In, Out> {
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
  tell: () => {},
};

/** Text of the given type, as it stands. */
export function plainText(type: string): Reply<string, string> {
  return {
    status: 200,
    content: { type: type.replace(/;.*/, ""), schema: v.string() },
    headers: [],
    send: (body) => ({ status: 200, headers: { "content-type": type, "cache-control": "no-store" }, body }),
    tell: asItIs,
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
      headers: { "content-type": type, "cache-control": "no-store", "content-security-policy": policyOf(page) },
      body: writePage(page),
    }),
    tell: asItIs,
  };
}

/** Sends the caller on to this path, for good. */
export const redirect: Reply<string, string> = leadOn(308);

/** The same for this time, to be read with GET. */
export const seeOther: Reply<string, string> = leadOn(303);

function leadOn(status: number): Reply<string, string> {
  return {
    status,
    content: null,
    headers: ["location"],
    send: (location) => ({ status, headers: { location, "cache-control": "no-store" }, body: null }),
    tell: asItIs,
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
    tell: ({ body, cookie }) => ({ body: reply.tell(body), cookie }),
  };
}

interface WithCookie<T> {
  readonly body: T;
  readonly cookie: string;
}

/** Server-sent events, whose data is filtered through the schema. */
export function events<In extends object>(schema: Schema<In>): Reply<FrameSource<In>, FrameSource<In>> {
  const filter = filterBy(schema), encode = encoder((data: In) => JSON.stringify(filter(data)));
  return {
    status: 200,
    content: { type: STREAM_TYPE, schema },
    headers: [],
    send: (source) => ({
      status: 200,
      // The last header keeps nginx from holding events back until a buffer of its own is full.
      headers: { "content-type": STREAM_TYPE, "cache-control": "no-store", "x-accel-buffering": "no" },
      body: flowOf(source, encode),
    }),
    tell: asItIs,
  };
}

function json<In, Out>(
  status: number,
  schema: Schema<In, Out>,
  headersOf: (output: Out) => Record<string, string> = () => ({}),
  headers: readonly string[] = [],
): Reply<In, Out> {
  const filter = filterBy(schema);
  return {
    status,
    content: { type: "application/json", schema },
    headers,
    send(value) {
      const output = filter(value);
      const headers = { "content-type": "application/json", "cache-control": "no-store", ...headersOf(output) };
      return { status, headers, body: JSON.stringify(output) };
    },
    tell: filter,
  };
}

function asItIs<T>(value: T): T {
  return value;
}

/** What the schema makes of a value. That one does not fit is this program's mistake and no caller's. */
function filterBy<In, Out>(schema: Schema<In, Out>): (value: In) => Out {
  let pick: Picking | undefined;
  return (value) => {
    const picked = (pick ??= picker(schema))(value);
    if (picked !== UNSURE) return picked as Out;
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
export function either<A, B, ToldA, ToldB>(
  usual: Reply<A, ToldA>,
  other: Reply<B, ToldB>,
): Reply<Either<A, B>, Either<ToldA, ToldB>> {
  return {
    ...usual,
    also: other,
    send: (value) => "usual" in value ? usual.send(value.usual) : other.send(value.other),
    tell: (value) => "usual" in value ? { usual: usual.tell(value.usual) } : { other: other.tell(value.other) },
  };
}
