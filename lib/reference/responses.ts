/** The answers of an endpoint: what it answers when it is done, and every refusal with its codes and examples. */
import { type JsonSchema, outputSchema } from "#lib/reference/json-schema.ts";
import { refusalsOf } from "#lib/reference/refusals.ts";
import { sampleOf } from "#lib/reference/sample.ts";
import { type FaultCode, FAULTS } from "#lib/base/faults.ts";
import { type AnyEndpoint, canRevalidate, type Method } from "#lib/http/endpoint.ts";
import { INTERNAL_ERROR, internalProblem, problemOf } from "#lib/http/problem.ts";
import type { ReplyDescription } from "#lib/http/reply.ts";

type Named = Readonly<Record<string, JsonSchema>>;

/** What a status means here. */
export const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: "Done",
  201: "Made",
  202: "Accepted; the work goes on after this answer",
  204: "Done, and nothing to say of it",
  308: "It is elsewhere, for good: see `Location`",
  304: "As it was when you asked before",
  400: "The request is not as it must be; the message names each field",
  401: "Nobody, or a credential that is no good here",
  403: "You may not do this",
  404: "Not there, or not for you to see",
  405: "There, but not with this method",
  408: "The body did not come in time",
  409: "The present state does not allow it",
  413: "The body is too large",
  415: "The body is not JSON",
  417: "What the request expects cannot be had",
  422: "Understood, and yet it cannot be done",
  429: "Too often from one address, or too many at once",
  431: "The address and headers of the request are too large",
  500: "Something went wrong on our side",
  503: "Not now: try again",
  504: "Not within the time that a request has",
};

const STREAM =
  "Events as long as the client stays: `id` is the event's number, `event` its type, `data` one line of JSON. " +
  "Comments in between keep proxies open";

/** What nobody can cause. */
const INTERNAL_EXAMPLE = internalProblem(
  "Something went wrong on our side; the request id is req_06fj2c4v7tq0w1x9n3m8k5r2dg",
);

/** To who has the answer already. */
const NOT_MODIFIED: ReplyDescription = { status: 304, content: null, headers: ["etag", "cache-control"] };

export function responsesOf(pattern: string, method: Method, endpoint: AnyEndpoint, named: Named): JsonSchema {
  const { reply, errorPage, deprecated } = endpoint, revalidates = canRevalidate(endpoint);
  const own = !revalidates ? reply : { ...reply, headers: [...reply.headers, ...NOT_MODIFIED.headers] };
  const answers = reply.alternative ? [own, reply.alternative] : [own];
  const refusals = [...refusalsOf(pattern, method, endpoint)];
  return Object.fromEntries([
    ...answers.map((answer) => [answer.status, answerOf(answer, named, deprecated !== undefined)]),
    ...(!revalidates ? [] : [[304, answerOf(NOT_MODIFIED, named, deprecated !== undefined)]]),
    ...refusals.map(([status, codes]) => [
      status,
      errorPage
        ? asHtml(refusalOf(status, codes, deprecated !== undefined), status)
        : refusalOf(status, codes, deprecated !== undefined),
    ]),
  ]);
}

/** For `components.examples`: an example of each fault's body, by its code. */
export function faultExamples(): JsonSchema {
  const faults = Object.entries(FAULTS).map(([code, [kind, message]]) =>
    [code, { summary: message, value: problemOf({ kind, code, message }) }] as const
  );
  return Object.fromEntries([
    ...faults,
    [INTERNAL_ERROR, { summary: "A mistake of the program", value: INTERNAL_EXAMPLE }] as const,
  ]);
}

function answerOf({ status, content, headers }: ReplyDescription, named: Named, deprecated: boolean) {
  const schema = content && outputSchema(content.schema);
  return {
    description: content?.type === "text/event-stream" ? STREAM : STATUS_DESCRIPTIONS[status] ?? "Done",
    headers: headersOf(status, headers, deprecated),
    ...(content && schema && {
      content: { [content.type]: { schema, ...(isData(content.type) && { example: sampleOf(schema, named) }) } },
    }),
  };
}

/** Where people call, a refusal is a page; a failure outside of all endpoints is JSON. */
function asHtml(refusal: Refusal, status: number): JsonSchema {
  return {
    ...refusal,
    content: { "text/html": { schema: { type: "string" } }, ...(status >= 500 && refusal.content) },
  };
}

/** A page or a file is no data: an example of it would say nothing. */
function isData(type: string): boolean {
  return type === "application/json" || type === "text/event-stream";
}

interface Refusal extends JsonSchema {
  readonly content: JsonSchema;
}

function refusalOf(status: number, codes: readonly FaultCode[], deprecated: boolean): Refusal {
  const names = codes.length > 0 ? codes : [INTERNAL_ERROR];
  return {
    description: STATUS_DESCRIPTIONS[status]!,
    headers: headersOf(status, [], deprecated),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    },
  };
}

/** Name as the document writes it, what it says, an example. Each is always sent where it is named, except those in MAYBE. */
const HEADERS: readonly (readonly [name: string, says: string, example: string])[] = [
  ["X-Request-Id", "Names the request in the log: the client's own id if it sent a good one", "req_06fj2c4v7t"],
  ["Location", "The path at which what was made can be read", "/api/spokes/spk_06fj2c4v7tq0w1x9n3m8k5r2dg"],
  ["Set-Cookie", "The session, or its end", "__Host-wheelwright=…; Path=/; HttpOnly; SameSite=Lax; Secure"],
  ["WWW-Authenticate", "How to say who asks", "Bearer"],
  ["Retry-After", "Seconds after which trying again makes sense", "5"],
  ["Deprecation", "Since when the endpoint is deprecated (RFC 9745)", "@1767225600"],
  ["Sunset", "When the endpoint is gone (RFC 8594)", "Sun, 01 Mar 2026 00:00:00 GMT"],
  [
    "Link",
    "The next page of a list (`next`), or the announcement of a deprecation (`deprecation`, `sunset`); RFC 8288",
    '</api/users?limit=25&before=2026-11-21T12%3A00%3A00.000Z%2Cusr_06fj2c4v7tq0w1x9n3m8k5r2dg>; rel="next"',
  ],
  ["ETag", "Names this answer: send it in `If-None-Match` to hear whether it still holds", '"pB1y6oV0s5m3kq8ZtXc4Aw"'],
  ["Cache-Control", "How long it may be kept without asking again", "public, max-age=300"],
];

/** The last page of a list has no link. */
const MAYBE: readonly string[] = ["Link"];

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
  504: ["Retry-After"],
};

/** For `components.headers`. */
export function headerComponents(): JsonSchema {
  return Object.fromEntries(HEADERS.map(([name, description, example]) => [
    name,
    { description, required: !MAYBE.includes(name), schema: { type: "string" }, example },
  ]));
}

/** The headers of an answer with this status, besides those that belong to its reply. */
export function headersOf(status: number, own: readonly string[], deprecated: boolean): JsonSchema {
  const names = ["X-Request-Id", ...own, ...(HEADERS_BY_STATUS[status] ?? [])];
  if (deprecated) names.push("Deprecation", "Sunset", "Link");
  return Object.fromEntries(names.map((name) => {
    const known = HEADERS.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[0];
    return known ? [known, { $ref: `#/components/headers/${known}` }] : [name, { schema: { type: "string" } }];
  }));
}
