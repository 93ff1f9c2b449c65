import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { publicAccess, signedInAccess } from "#lib/domains/auth/access.ts";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { markup } from "#lib/http/page.ts";
import { createdReply, eventStreamReply, htmlReply, okReply } from "#lib/http/reply.ts";
import { optionalOrNull, Slug, Timestamp } from "#lib/base/schema.ts";

const test = suite("buildOpenApiDocument");
const release = { api: "v0", version: "1.2.3", commit: "abc" };

// deno-lint-ignore no-explicit-any
const describe = (path: string, post: unknown): any =>
  buildOpenApiDocument([[path, { POST: post as AnyEndpoint }]], release);

const make = endpoint({
  summary: "Make a thing",
  access: signedInAccess,
  scope: "provisioning",
  query: v.object({ dryRun: v.optional(v.string()) }),
  body: v.object({ slug: Slug, name: optionalOrNull(v.string()) }),
  idempotent: true,
  reply: createdReply(v.object({ id: v.string(), at: Timestamp }), ({ id }) => `/api/things/${id}`),
  faults: ["slug_taken"],
  handle: () => ({ id: "1", at: new Date() }),
});

test("lists the parameters of path, query and headers", () => {
  const operation = describe("/api/hubs/:hubId/things", make).paths["/api/hubs/{hubId}/things"].post;
  assert.equal(operation.parameters.map((one: Record<string, unknown>) => [one.in, one.name, one.required]), [
    ["path", "hubId", true],
    ["query", "dryRun", false],
    ["header", "Idempotency-Key", false],
  ]);
  assert.is(operation.operationId, "createHubThing");
});

test("describes request bodies and responses", () => {
  const { requestBody, responses } = describe("/api/things", make).paths["/api/things"].post;
  const body = requestBody.content["application/json"].schema;
  assert.equal(body.required, ["slug"]);
  assert.match(body.properties.slug.description, "must be 1 to 63 lower-case letters");
  const made = responses["201"];
  const { type, format } = made.content["application/json"].schema.properties.at;
  assert.equal({ type, format }, { type: "string", format: "date-time" });
  assert.equal(made.headers.Location, { $ref: "#/components/headers/Location" });
});

test("documents the access and the credentials", () => {
  const operation = describe("/api/things", make).paths["/api/things"].post;
  assert.equal(operation.security, [{ bearer: [] }, { session: [] }]);
  assert.is(operation["x-scope"], "provisioning");
  assert.is(operation["x-access"], "signed in");
  assert.equal(operation["x-faults"], ["slug_taken"]);
  assert.equal(describe("/x", { ...make, scope: "session" }).paths["/x"].post.security, [{ session: [] }]);
  assert.equal(describe("/x", { ...make, access: publicAccess, scope: "flow" }).paths["/x"].post.security, []);
});

test("lists the other path of a sign-in endpoint, and marks deprecations", () => {
  const deprecated = { since: "2026-01-01", sunset: "2026-03-01", note: "Use /api/y" };
  const operation = describe("/api/auth/login", { ...make, deprecated }).paths["/api/auth/login"].post;
  assert.match(operation.description, "Also at /auth/login.");
  assert.equal(operation["x-aliases"], ["/auth/login"]);
  assert.match(operation.description, "removed on 2026-03-01: Use /api/y");
  assert.is(operation.deprecated, true);
  assert.equal(operation["x-deprecation"], deprecated);
  const plain = describe("/api/y", make).paths["/api/y"].post;
  assert.not.ok("x-deprecation" in plain || "x-aliases" in plain || "deprecated" in plain);
});

test("lists every status with its codes", () => {
  const { responses } = describe("/api/hubs/:hubId/things", { ...make, rateLimitMessage: "too many requests" })
    .paths["/api/hubs/{hubId}/things"].post;
  const codes = Object.entries<{ content: { "application/json": { examples: object } } }>(responses).flatMap((
    [status, { content }],
  ) => Number(status) < 400 ? [] : [`${status} ${Object.keys(content["application/json"].examples).join(" ")}`]);
  assert.equal(codes, [
    "400 invalid_input bad_path bad_query repeated_parameter too_many_parameters unknown_parameter unknown_field unreadable_json not_an_object bad_idempotency_key",
    "401 sign_in_required bad_credentials",
    "403 second_factor_enrolment_required scope_too_narrow cross_origin access_changed",
    "408 body_too_slow",
    "409 slug_taken",
    "413 body_too_large",
    "415 not_json",
    "422 idempotency_key_reused",
    "429 too_many_tries",
    "500 internal_error",
    "503 overloaded database_unavailable database_lost commit_unknown database_busy database_slow database_locked database_exhausted database_read_only database_closed",
    "504 too_slow",
  ]);
});

test("lists only the errors that a public GET can return", () => {
  const health = { ...make, access: publicAccess, scope: "public", probe: true, idempotent: false, faults: [] };
  const { query: _, body: __, ...bare } = health;
  const document = buildOpenApiDocument([["/api/health", { GET: bare as unknown as AnyEndpoint }]], release);
  // deno-lint-ignore no-explicit-any
  const { responses } = (document as any).paths["/api/health"].get;
  assert.equal(Object.keys(responses), ["201", "400", "500", "504"]);
});

test("documents forms and pages of endpoints for people", () => {
  const form = { ...make, form: true, reply: htmlReply(), errorPage: () => ({ title: "", style: "", body: markup`` }) };
  const { requestBody, responses } = describe("/invite", form).paths["/invite"].post;
  assert.equal(Object.keys(requestBody.content), ["application/x-www-form-urlencoded"]);
  assert.equal(Object.keys(responses["200"].content), ["text/html"]);
  assert.equal(Object.keys(responses["400"].content), ["text/html"]);
  assert.equal(Object.keys(responses["503"].content), ["text/html", "application/json"]);
});

test("documents a signed body of any shape, with its signature header", () => {
  const { body: _, query: __, ...bare } = make;
  const signed = { ...bare, raw: true, idempotent: false, access: publicAccess, scope: "public" };
  const { requestBody, parameters, responses } = describe("/api/hook", signed).paths["/api/hook"].post;
  assert.equal([requestBody.required, requestBody.content["application/json"].schema], [true, { type: "object" }]);
  // deno-lint-ignore no-explicit-any
  assert.equal(parameters.map((one: any) => [one.in, one.name, one.required]), [["header", "Stripe-Signature", true]]);
  assert.equal(Object.keys(responses[413].content["application/json"].examples), ["body_too_large"]);
  assert.not.ok(responses[415]);
});

test("lists the headers of each status", () => {
  const { responses } = describe("/api/things", make).paths["/api/things"].post;
  const names = (status: number) => Object.keys(responses[status].headers);
  assert.equal(names(201), ["X-Request-Id", "Location"]);
  assert.equal(names(401), ["X-Request-Id", "WWW-Authenticate"]);
  assert.equal(names(503), ["X-Request-Id", "Retry-After"]);
  const deprecated = { since: "2026-01-01", sunset: "2026-03-01", note: "Use /api/y" };
  const old = describe("/api/things", { ...make, deprecated }).paths["/api/things"].post.responses;
  assert.equal(Object.keys(old[400].headers), ["X-Request-Id", "Deprecation", "Sunset", "Link"]);
});

test("requires a body only if an empty one is invalid", () => {
  const optional = { ...make, body: v.object({ name: optionalOrNull(v.string()) }) };
  assert.is(describe("/x", make).paths["/x"].post.requestBody.required, true);
  assert.is(describe("/x", optional).paths["/x"].post.requestBody.required, false);
});

test("describes a stream by its events", () => {
  const stream = { ...make, reply: eventStreamReply(v.object({ state: v.string() })) };
  const operation = describe("/x", stream).paths["/x"].post;
  assert.equal(operation.responses["200"].content["text/event-stream"].schema.required, ["state"]);
  assert.is(operation.parameters.at(-1).name, "Last-Event-ID");
});

test("fails for a schema that it cannot describe", () => {
  assert.throws(() => describe("/x", { ...make, reply: okReply(v.object({ size: v.bigint() })) }), /Cannot convert/);
});

test.run();
