/** Tests that the conformance check reports responses that differ from the OpenAPI document. */
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { createdReply, eventStreamReply } from "#lib/http/reply.ts";
import { Timestamp } from "#lib/base/schema.ts";
import { checkExchange, createConformanceCheck, type RecordedExchange } from "#test/support/conformance.ts";
import { openOpenApiReader } from "#test/support/probes/document.ts";

const Thing = v.object({ id: v.string(), at: Timestamp, more: v.optional(v.object({ size: v.picklist(["small"]) })) });
const make = endpoint({
  summary: "Make a thing",
  access: publicAccess,
  scope: "public",
  reply: createdReply(Thing, ({ id }) => `/things/${id}`),
  handle: () => ({ id: "1", at: new Date() }),
});
const follow = { ...make, reply: eventStreamReply(v.object({ state: v.string() })) };
const document = openOpenApiReader(
  buildOpenApiDocument([
    ["/things", { POST: make as AnyEndpoint, GET: follow as AnyEndpoint }],
    ["/things/:id", { GET: make as AnyEndpoint }],
    ["/things/new", { POST: make as AnyEndpoint }],
  ], { api: "v0", version: "1", commit: "abc" }),
);

const HEADERS = {
  ...{ "x-request-id": "1", "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "x" },
  ...{ "content-security-policy": "x", "cross-origin-opener-policy": "x", "cross-origin-resource-policy": "x" },
  ...{ "permissions-policy": "x", "content-type": "application/json", location: "/things/1" },
};
const AT = "2026-11-21T12:00:00.000Z";

interface Doctored extends Partial<Omit<RecordedExchange, "headers" | "text">> {
  readonly body?: unknown;
  readonly headers?: Record<string, string | null>;
}

const checked = ({ body = { id: "1", at: AT }, headers = {}, ...rest }: Doctored) => {
  const all = new Headers(Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== null) as never);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return checkExchange(document, { method: "POST", path: "/things?a=1", status: 201, headers: all, text, ...rest });
};
const CODES: Readonly<Record<number, string>> = { 404: "no_route", 405: "wrong_method" };
const problem = (statusCode: number, error: string, message = "No", code = CODES[statusCode] ?? "bad_query") => ({
  body: { statusCode, code, message, error },
});

const test = suite("checkExchange");

test("accepts documented responses", () => {
  assert.is(checked({}), null);
  assert.is(checked({ path: "/things/new" }), null);
  assert.is(checked({ path: "/things/7/", method: "GET" }), null);
  assert.is(checked({ body: { id: "1", at: AT, more: { size: "small" } } }), null);
  assert.is(checked({ status: 404, path: "/nowhere", ...problem(404, "Not Found") }), null);
  const allow = { allow: "GET, HEAD, POST, OPTIONS" };
  assert.is(checked({ method: "PUT", status: 405, headers: allow, ...problem(405, "Method Not Allowed") }), null);
  assert.is(checked({ method: "OPTIONS", status: 204, headers: allow, body: "" }), null);
  const stream = { method: "GET", status: 200, headers: { "content-type": "text/event-stream" } };
  assert.is(checked({ ...stream, body: 'id: 1\ndata: {"state":"active"}\n\n' }), null);
});

test("reports each mismatch", () => {
  const wrong: readonly (readonly [Doctored, RegExp])[] = [
    [{ status: 200 }, /status is not declared/],
    [{ status: 302 }, /status is not declared/],
    [{ path: "/nowhere" }, /path is not declared/],
    [{ path: "/things/7", method: "DELETE" }, /Allow is not GET,HEAD,OPTIONS/],
    [{ headers: { location: null } }, /header location is missing/],
    [{ headers: { "x-request-id": null } }, /header x-request-id is missing/],
    [{ headers: { "content-security-policy": null } }, /header content-security-policy is missing/],
    [{ headers: { "content-type": "text/plain" } }, /unexpected content type: text\/plain/],
    [{ body: "oops" }, /not JSON/],
    [{ body: { id: "1" } }, /required property "at"/],
    [{ body: { id: 1, at: AT } }, /expected "string"/i],
    [{ body: { id: "1", at: "yesterday" } }, /date-time/],
    [{ body: { id: "1", at: AT, secret: 1 } }, /secret is not declared/],
    [{ body: { id: "1", at: AT, more: { size: "small", secret: 1 } } }, /more\/secret is not declared/],
    [{ body: { id: "1", at: AT, more: { size: "huge" } } }, /more\/size .*small/],
    [{ status: 400, ...problem(401, "Bad Request") }, /statusCode is 401/],
    [{ status: 400, ...problem(400, "Oh no") }, /error is "Oh no"/],
    [{ status: 400, ...problem(400, "Bad Request", "") }, /message/],
    [{ status: 400, ...problem(400, "Bad Request", "x\n    at y") }, /stack/],
    [{ status: 400, body: { ...problem(400, "Bad Request").body, detail: "x" } }, /detail is not declared/],
    [
      { status: 400, ...problem(400, "Bad Request", "No", "login_failed") },
      /code is login_failed, but only these are declared: /,
    ],
    [{ status: 404, path: "/nowhere", ...problem(404, "Not Found", "No", "spoke_missing") }, /code is spoke_missing/],
    [
      { status: 500, ...problem(500, "Internal Server Error") },
      /code is bad_query, but only these are declared: internal_error/,
    ],
    [{ status: 401, ...problem(401, "Unauthorized") }, /header www-authenticate is missing/],
    [{ status: 429, ...problem(429, "Too Many Requests") }, /header retry-after is missing/],
    [{ status: 503, ...problem(503, "Service Unavailable") }, /header retry-after is missing/],
    [{ method: "PUT", status: 405, ...problem(405, "Method Not Allowed") }, /header allow is missing/],
    [
      { method: "GET", status: 200, headers: { "content-type": "text/event-stream" }, body: 'data: {"state":1}\n' },
      /state/,
    ],
    [{ method: "HEAD", path: "/things/7" }, /HEAD has a body/],
  ];
  for (const [doctored, pattern] of wrong) assert.match(String(checked(doctored)), pattern, JSON.stringify(doctored));
});

test("requires that a page's policy allows exactly what the page uses", () => {
  const style = "body { margin: 0 }", hash = createHash("sha256").update(style).digest("base64");
  const page = (body: string, policy = `style-src 'sha256-${hash}'; script-src 'self'`) => {
    const headers = { ...HEADERS, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
    const text = `<html><style>${style}</style>${body}</html>`;
    const own = new Headers({ ...headers, "content-security-policy": policy });
    return checkExchange(document, { method: "GET", path: "/hubs", status: 200, headers: own, text });
  };
  assert.is(page('<script src="/portal.js?v=1" defer></script><a href="https://north.example">North</a>'), null);
  const wrong: readonly (readonly [body: string, pattern: RegExp, policy?: string])[] = [
    ["", /blocks the page's style/, "style-src 'none'"],
    ["", /too permissive/, `style-src 'sha256-${hash}' 'unsafe-inline'`],
    ["<script>alert(1)</script>", /blocks this element: <script>/],
    ['<p style="color: red">x</p>', /blocks this element: <p style/],
    ['<button onclick="x()">x</button>', /blocks this element: <button onclick/],
    ['<script src="https://cdn.example/x.js"></script>', /blocks this element/],
    ['<img src="//cdn.example/x.png">', /loads from another server/],
    ['<script src="/portal.js"></script>', /blocks the page's script/, `style-src 'sha256-${hash}'`],
  ];
  for (const [body, pattern, policy] of wrong) assert.match(String(page(body, policy)), pattern, body);
});

test("follows references, and treats allOf as a single closed object", () => {
  const part = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });
  const openApi = openOpenApiReader({
    paths: {},
    components: { schemas: { Part: part("a"), Whole: { allOf: [part("a"), part("b")] } } },
  });
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const [one, both] = [reference("Part"), { anyOf: [reference("Whole"), { type: "null" }] }];
  assert.is(openApi.misfit(one, { a: "x" }), null);
  assert.match(String(openApi.misfit(one, { a: "x", b: "y" })), /b is not declared/);
  for (const good of [{ a: "x", b: "y" }, null]) assert.is(openApi.misfit(both, good), null);
  for (const bad of [{ a: "x", c: "y" }, { a: 1 }, 7]) assert.ok(openApi.misfit(both, bad), JSON.stringify(bad));
});

test("rejects undeclared errors if the document declares any error", () => {
  const responses = { 200: { description: "" }, 400: { description: "" }, default: { description: "" } };
  const strict = openOpenApiReader({ paths: { "/x": { get: { responses } } } }).find("/x")!.operation("GET")!;
  assert.ok(strict.answer(400));
  assert.is(strict.answer(409), null);
});

test("throws an error with method, path, status and mismatch for the program's own routes", () => {
  const headers = new Headers(HEADERS);
  const exchange = {
    method: "GET",
    path: "/api/version?a=1",
    status: 200,
    headers,
    text: '{"api":"v0","commit":"abc"}',
  };
  createConformanceCheck()(exchange);
  const wrong = { ...exchange, text: '{"api":"v0","commit":"abc","secret":1}' };
  assert.throws(
    () => createConformanceCheck()(wrong),
    /^GET \/api\/version\?a=1 returned an undocumented 200 response: .*secret is not declared:\n\{"api"/s,
  );
  assert.throws(
    () => createConformanceCheck()({ ...wrong, status: 409 }),
    /undocumented 409 response: .*status is not declared/,
  );
  createConformanceCheck([])(wrong);
});

test.run();
