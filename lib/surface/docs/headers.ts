/** The response headers that the document knows, each said once and referred to by name. */
import type { JsonSchema } from "#lib/surface/docs/json-schema.ts";

/** Name as the document writes it, what it says, an example. Each is always there where it is named. */
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
    "Where the deprecation is told of",
    '<https://wheelwright.example/changelog>; rel="deprecation"; type="text/html"',
  ],
  ["ETag", "Names this answer: send it in `If-None-Match` to hear whether it still holds", '"pB1y6oV0s5m3kq8ZtXc4Aw"'],
  ["Cache-Control", "How long it may be kept without asking again", "public, max-age=300"],
];

const OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
  504: ["Retry-After"],
};

/** For `components.headers`. */
export function headerComponents(): JsonSchema {
  return Object.fromEntries(HEADERS.map(([name, description, example]) => [
    name,
    { description, required: true, schema: { type: "string" }, example },
  ]));
}

/** The headers of an answer with this status, besides those that belong to its reply. */
export function headersOf(status: number, own: readonly string[], deprecated: boolean): JsonSchema {
  const names = ["X-Request-Id", ...own, ...(OF_STATUS[status] ?? [])];
  if (deprecated) names.push("Deprecation", "Sunset", "Link");
  return Object.fromEntries(names.map((name) => {
    const known = HEADERS.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[0];
    return known ? [known, { $ref: `#/components/headers/${known}` }] : [name, { schema: { type: "string" } }];
  }));
}
