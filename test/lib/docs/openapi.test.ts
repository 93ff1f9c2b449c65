import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { anyone, signedIn } from "#lib/auth/access.ts";
import { describeApi } from "#lib/docs/openapi.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { created, events, ok } from "#lib/http/reply.ts";
import { maybe, Slug, Stamp } from "#lib/schema.ts";

const test = suite("describeApi");
const release = { api: "v0", version: "1.2.3", commit: "abc" };

// deno-lint-ignore no-explicit-any
const describe = (path: string, post: unknown): any => describeApi([[path, { POST: post as AnyEndpoint }]], release);

const make = endpoint({
  summary: "Make a thing",
  access: signedIn,
  scope: "provisioning",
  query: v.object({ dryRun: v.optional(v.string()) }),
  body: v.object({ slug: Slug, name: maybe(v.string()) }),
  idempotent: true,
  reply: created(v.object({ id: v.string(), at: Stamp }), ({ id }) => `/api/things/${id}`),
  faults: ["slug_taken"],
  handle: () => ({ id: "1", at: new Date() }),
});

test("gives the path's, the query's and the header's parameters", () => {
  const operation = describe("/api/hubs/:hubId/things", make).paths["/api/hubs/{hubId}/things"].post;
  assert.equal(operation.parameters.map((one: Record<string, unknown>) => [one.in, one.name, one.required]), [
    ["path", "hubId", true],
    ["query", "dryRun", false],
    ["header", "Idempotency-Key", undefined],
  ]);
  assert.is(operation.operationId, "postHubsHubIdThings");
});

test("says of the body what may be sent, and of the reply what is answered", () => {
  const { requestBody, responses } = describe("/api/things", make).paths["/api/things"].post;
  const body = requestBody.content["application/json"].schema;
  assert.equal(body.required, ["slug"]);
  assert.match(body.properties.slug.description, "must be 1 to 63 lower-case letters");
  const made = responses["201"];
  assert.equal(made.content["application/json"].schema.properties.at, { type: "string", format: "date-time" });
  assert.ok(made.headers.location);
  assert.equal(responses.default, { $ref: "#/components/responses/Problem" });
});

test("names who may call and with what", () => {
  const operation = describe("/api/things", make).paths["/api/things"].post;
  assert.equal(operation.security, [{ bearer: ["provisioning"] }, { session: [] }]);
  assert.is(operation["x-access"], "signed in");
  assert.equal(operation["x-faults"], ["slug_taken"]);
  assert.equal(describe("/x", { ...make, scope: "session" }).paths["/x"].post.security, [{ session: [] }]);
  assert.equal(describe("/x", { ...make, access: anyone, scope: "flow" }).paths["/x"].post.security, []);
});

test("names the other address of a flow, and marks what is deprecated", () => {
  const deprecated = { since: "2026-01-01", sunset: "2026-03-01", note: "Use /api/y" };
  const operation = describe("/api/auth/login", { ...make, deprecated }).paths["/api/auth/login"].post;
  assert.match(operation.description, "Also at /auth/login.");
  assert.match(operation.description, "gone on 2026-03-01: Use /api/y");
  assert.is(operation.deprecated, true);
});

test("describes a stream by its events", () => {
  const stream = { ...make, reply: events(v.object({ state: v.string() })) };
  const operation = describe("/x", stream).paths["/x"].post;
  assert.equal(operation.responses["200"].content["text/event-stream"].schema.required, ["state"]);
  assert.is(operation.parameters.at(-1).name, "Last-Event-ID");
});

test("fails for a schema that it cannot describe, instead of leaving it out", () => {
  assert.throws(() => describe("/x", { ...make, reply: ok(v.object({ size: v.bigint() })) }), /cannot be documented/);
});

test.run();
