/** Builds an endpoint's responses for the OpenAPI document: success, and each error status with codes and examples. */
import type { DocumentedResponse } from "#lib/reference/document.ts";
import { type JsonSchema, type NamedSchemas, toOutputJsonSchema } from "#lib/reference/json-schema.ts";
import { listErrorCodes } from "#lib/reference/refusals.ts";
import { buildExample } from "#lib/reference/examples.ts";
import { type FaultCode, FAULTS } from "#lib/base/faults.ts";
import { type AnyEndpoint, hasEtag, type HttpMethod } from "#lib/http/endpoint.ts";
import { buildInternalProblem, INTERNAL_ERROR, toProblem } from "#lib/http/problem.ts";
import type { ReplyDescription } from "#lib/http/reply.ts";

export const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: "Done",
  201: "Created",
  202: "Accepted; the work continues in the background",
  204: "Done; the response has no body",
  308: "Moved permanently to the URL in the `Location` header",
  304: "The content has not changed since your last request",
  400: "The request is invalid; the message names each invalid field",
  401: "The credentials are missing, or are not valid for this endpoint",
  403: "You are not allowed to do this",
  404: "The object does not exist, or you may not see it",
  405: "The path does not support this method",
  408: "The request body did not arrive in time",
  409: "The object's current state does not allow the request",
  413: "The request body is too large",
  415: "The request body is not JSON",
  417: "The server cannot do what the `Expect` header requires",
  422: "The request is valid, but the server cannot carry it out",
  429: "Too many requests",
  431: "The URL and headers are too large",
  500: "An internal error occurred",
  503: "The service is temporarily unavailable; retry later",
  504: "The request took too long",
};

const STREAM = "A stream of events, which lasts until the client disconnects. " +
  "For each event, `id` is its number, `event` is its type, and `data` is one line of JSON. " +
  "Comments in the stream keep the connection open";

/** The response body for an internal error, which no request should be able to cause. */
const INTERNAL_EXAMPLE = buildInternalProblem(
  "An internal error occurred; the request ID is req_06fj2c4v7tq0w1x9n3m8k5r2dg",
);

/** The response to a request with an ETag that is still current. */
const NOT_MODIFIED: ReplyDescription = { status: 304, content: null, headers: ["etag", "cache-control"] };

export function buildResponses(pattern: string, method: HttpMethod, endpoint: AnyEndpoint, named: NamedSchemas) {
  const { reply, errorPage } = endpoint, deprecated = endpoint.deprecated !== undefined;
  const revalidates = hasEtag(endpoint);
  const own = revalidates ? { ...reply, headers: [...reply.headers, ...NOT_MODIFIED.headers] } : reply;
  const replies = [own, ...(reply.alternative ? [reply.alternative] : []), ...(revalidates ? [NOT_MODIFIED] : [])];
  return Object.fromEntries<DocumentedResponse>([
    ...replies.map((each) => [String(each.status), describeReply(each, named, deprecated)] as const),
    ...[...listErrorCodes(pattern, method, endpoint)].map(([status, codes]) => {
      const error = describeError(status, codes, deprecated);
      return [String(status), errorPage ? asHtml(error, status) : error] as const;
    }),
  ]);
}

/** Returns an example response body for each error code, for `components.examples` in the OpenAPI document. */
export function buildErrorExamples() {
  const faults = Object.entries(FAULTS).map(([code, [kind, message]]) =>
    [code, { summary: message, value: toProblem({ kind, code, message }) }] as const
  );
  return Object.fromEntries([...faults, [INTERNAL_ERROR, { summary: "An internal error", value: INTERNAL_EXAMPLE }]]);
}

function describeReply(
  { status, content, headers }: ReplyDescription,
  named: NamedSchemas,
  deprecated: boolean,
): DocumentedResponse {
  const schema = content && toOutputJsonSchema(content.schema);
  // Pages and files need no example.
  const isData = content?.type === "application/json" || content?.type === "text/event-stream";
  return {
    description: content?.type === "text/event-stream" ? STREAM : STATUS_DESCRIPTIONS[status] ?? "Done",
    headers: buildResponseHeaders(status, headers, deprecated),
    ...(content && schema && {
      content: { [content.type]: { schema, ...(isData && { example: buildExample(schema, named) }) } },
    }),
  };
}

/** Documents an HTML error page. With status 500 or above, the body is JSON if the page could not be rendered. */
function asHtml(error: DocumentedResponse, status: number): DocumentedResponse {
  return { ...error, content: { "text/html": { schema: { type: "string" } }, ...(status >= 500 && error.content) } };
}

function describeError(status: number, codes: readonly FaultCode[], deprecated: boolean): DocumentedResponse {
  const names = codes.length > 0 ? codes : [INTERNAL_ERROR];
  return {
    description: STATUS_DESCRIPTIONS[status]!,
    headers: buildResponseHeaders(status, [], deprecated),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    },
  };
}

/** The response headers of the API, each with a description and an example. */
const HEADERS: readonly (readonly [name: string, description: string, example: string])[] = [
  [
    "X-Request-Id",
    "The ID of the request in the log; the client's own ID if the client sent a valid ID",
    "req_06fj2c4v7t",
  ],
  ["Location", "The path of the created object", "/api/spokes/spk_06fj2c4v7tq0w1x9n3m8k5r2dg"],
  ["Set-Cookie", "Sets or clears the session cookie", "__Host-wheelwright=…; Path=/; HttpOnly; SameSite=Lax; Secure"],
  ["WWW-Authenticate", "How to authenticate", "Bearer"],
  ["Retry-After", "The number of seconds to wait before the next attempt", "5"],
  ["Deprecation", "When the endpoint was deprecated (RFC 9745)", "@1767225600"],
  ["Sunset", "When the endpoint will be removed (RFC 8594)", "Sun, 01 Mar 2026 00:00:00 GMT"],
  [
    "Link",
    "Links to the next page of a list (`next`) or to a deprecation announcement (`deprecation`, `sunset`); RFC 8288",
    '</api/users?limit=25&before=2026-11-21T12%3A00%3A00.000Z%2Cusr_06fj2c4v7tq0w1x9n3m8k5r2dg>; rel="next"',
  ],
  [
    "ETag",
    "The version of this response. Send this value in `If-None-Match` to get status 304 while the version is current",
    '"pB1y6oV0s5m3kq8ZtXc4Aw"',
  ],
  ["Cache-Control", "How long clients may cache the response", "public, max-age=300"],
];

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
  504: ["Retry-After"],
};

export function buildHeaderComponents() {
  return Object.fromEntries(HEADERS.map(([name, description, example]) => [
    name,
    // The last page of a list, for example, has no Link header.
    { description, required: name !== "Link", schema: { type: "string" }, example },
  ]));
}

/** Returns the headers of a response with this HTTP status. `own` lists the headers that the endpoint itself adds. */
function buildResponseHeaders(status: number, own: readonly string[], deprecated: boolean): NamedSchemas {
  const names = ["X-Request-Id", ...own, ...(HEADERS_BY_STATUS[status] ?? [])];
  if (deprecated) names.push("Deprecation", "Sunset", "Link");
  return Object.fromEntries<JsonSchema>(names.map((name) => {
    const headerName = HEADERS.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[0];
    return headerName
      ? [headerName, { $ref: `#/components/headers/${headerName}` }]
      : [name, { schema: { type: "string" } }];
  }));
}
