/**
 * What an endpoint answers with: a status, a description of itself for the documents, and how a handler's value becomes
 * an answer. All JSON goes out through its schema, so that a column which nobody named cannot leak.
 */
import * as v from "valibot";
import type { Answer } from "#lib/surface/http/answer.ts";
import { type HtmlPage, policyOf, writePage } from "#lib/surface/http/page.ts";
import { picker, type Picking, UNSURE } from "#lib/surface/http/pick.ts";
import { encoder, flowOf, type FrameSource, STREAM_TYPE } from "#lib/surface/http/sse.ts";

type Schema<In, Out = unknown> = v.GenericSchema<In, Out>;

export interface Reply<T> {
  readonly status: number;
  readonly content: Content | null;
  /** Response headers that belong to this reply, by name. */
  readonly headers: readonly string[];
  /** What the endpoint answers with otherwise, see either.ts; here for the documents. */
  readonly also?: Described;
  readonly send: (value: T) => Answer;
}

/** What the documents say of a reply. */
export type Described = Pick<Reply<never>, "status" | "content" | "headers">;

export interface Content {
  readonly type: string;
  // deno-lint-ignore no-explicit-any
  readonly schema: Schema<any>;
}

export function ok<In>(schema: Schema<In>): Reply<In> {
  return json(200, schema);
}

/** For what exists from now on; `location` is the path at which it can be read. */
export function created<In, Out>(schema: Schema<In, Out>, location: (made: Out) => string): Reply<In> {
  return json(201, schema, (made) => ({ location: location(made) }), ["location"]);
}

/** For what is shown in this answer and nowhere else: there is no path at which it can be read. */
export function shownOnce<In>(schema: Schema<In>): Reply<In> {
  return json(201, schema);
}

/** For what is on its way: the work goes on after the answer. */
export function accepted<In>(schema: Schema<In>): Reply<In> {
  return json(202, schema);
}

export const noContent: Reply<void> = {
  status: 204,
  content: null,
  headers: [],
  send: () => ({ status: 204, headers: { "cache-control": "no-store" }, body: null }),
};

/** Text of the given type, as it stands. */
export function plainText(type: string): Reply<string> {
  return {
    status: 200,
    content: { type: type.replace(/;.*/, ""), schema: v.string() },
    headers: [],
    send: (body) => ({ status: 200, headers: { "content-type": type, "cache-control": "no-store" }, body }),
  };
}

/** A page for people, under a policy of its own: it asks nobody for anything, see page.ts. */
export function html(status = 200): Reply<HtmlPage> {
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
  };
}

/** Sends the caller on to this path, for good. */
export const redirect: Reply<string> = {
  status: 308,
  content: null,
  headers: ["location"],
  send: (location) => ({ status: 308, headers: { location, "cache-control": "no-store" }, body: null }),
};

/** The same reply and a cookie; `cookie` is the whole value of a Set-Cookie header, which makes it or clears it. */
export function withCookie<T>(reply: Reply<T>): Reply<{ readonly body: T; readonly cookie: string }> {
  return {
    ...reply,
    headers: [...reply.headers, "set-cookie"],
    send({ body, cookie }) {
      const answer = reply.send(body);
      return { ...answer, headers: { ...answer.headers, "set-cookie": cookie } };
    },
  };
}

/** Server-sent events, whose data is filtered through the schema. */
export function events<In extends object>(schema: Schema<In>): Reply<FrameSource<In>> {
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
  };
}

function json<In, Out>(
  status: number,
  schema: Schema<In, Out>,
  headersOf: (output: Out) => Record<string, string> = () => ({}),
  headers: readonly string[] = [],
): Reply<In> {
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
  };
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
export function either<A, B>(usual: Reply<A>, other: Reply<B>): Reply<Either<A, B>> {
  return {
    ...usual,
    also: other,
    send: (value) => "usual" in value ? usual.send(value.usual) : other.send(value.other),
  };
}
