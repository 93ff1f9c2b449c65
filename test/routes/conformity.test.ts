/** Every endpoint, as the OpenAPI document has it: what it answers, what it refuses, and how a page of it is asked for. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { anyone } from "#lib/domains/auth/access.ts";
import { describeApi } from "#lib/surface/docs/openapi.ts";
import { type AnyEndpoint, endpoint, METHODS, withoutPortal } from "#lib/surface/http/endpoint.ts";
import { created, events } from "#lib/surface/http/reply.ts";
import { Stamp } from "#lib/base/schema.ts";
import { manifest } from "#src/manifest.ts";
import { conformTo, judge, type Seen } from "#test/support/conform.ts";
import { openDocument } from "#test/support/probes/document.ts";
import { endpointsOf, isPage, isStream } from "#test/support/probes/endpoints.ts";
import { fieldsOf } from "#test/support/probes/fields.ts";
import { insist } from "#test/support/probes/insist.ts";
import { pathOf, sampleParams, type Samples } from "#test/support/probes/samples.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const Thing = v.object({ id: v.string(), at: Stamp, more: v.optional(v.object({ size: v.picklist(["small"]) })) });
const make = endpoint({
  summary: "Make a thing",
  access: anyone,
  scope: "public",
  reply: created(Thing, ({ id }) => `/things/${id}`),
  handle: () => ({ id: "1", at: new Date() }),
});
const follow = { ...make, reply: events(v.object({ state: v.string() })) };
const document = openDocument(
  describeApi([
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

interface Doctored extends Partial<Omit<Seen, "headers" | "text">> {
  readonly body?: unknown;
  readonly headers?: Record<string, string | null>;
}

const judged = ({ body = { id: "1", at: AT }, headers = {}, ...rest }: Doctored) => {
  const all = new Headers(Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== null) as never);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return judge(document, { method: "POST", path: "/things?a=1", status: 201, headers: all, text, ...rest });
};
const CODES: Readonly<Record<number, string>> = { 404: "no_route", 405: "wrong_method" };
const problem = (statusCode: number, error: string, message = "No", code = CODES[statusCode] ?? "bad_query") => ({
  body: { statusCode, code, message, error },
});

const checking = suite("judge");

checking("finds nothing wrong with what is as documented", () => {
  assert.is(judged({}), null);
  assert.is(judged({ path: "/things/new" }), null);
  assert.is(judged({ path: "/things/7/", method: "GET" }), null);
  assert.is(judged({ body: { id: "1", at: AT, more: { size: "small" } } }), null);
  assert.is(judged({ status: 404, path: "/nowhere", ...problem(404, "Not Found") }), null);
  const allow = { allow: "GET, HEAD, POST, OPTIONS" };
  assert.is(judged({ method: "PUT", status: 405, headers: allow, ...problem(405, "Method Not Allowed") }), null);
  assert.is(judged({ method: "OPTIONS", status: 204, headers: allow, body: "" }), null);
  const stream = { method: "GET", status: 200, headers: { "content-type": "text/event-stream" } };
  assert.is(judged({ ...stream, body: 'id: 1\ndata: {"state":"active"}\n\n' }), null);
});

checking("names what is not", () => {
  const wrong: readonly (readonly [Doctored, RegExp])[] = [
    [{ status: 200 }, /status is not declared/],
    [{ status: 302 }, /status is not declared/],
    [{ path: "/nowhere" }, /path is not declared/],
    [{ path: "/things/7", method: "DELETE" }, /Allow is not GET,HEAD,OPTIONS/],
    [{ headers: { location: null } }, /header location is missing/],
    [{ headers: { "x-request-id": null } }, /header x-request-id is missing/],
    [{ headers: { "content-security-policy": null } }, /header content-security-policy is missing/],
    [{ headers: { "content-type": "text/plain" } }, /type is text\/plain/],
    [{ body: "oops" }, /no JSON/],
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
    [{ status: 400, ...problem(400, "Bad Request", "No", "login_failed") }, /code is login_failed, and declared are /],
    [{ status: 404, path: "/nowhere", ...problem(404, "Not Found", "No", "spoke_missing") }, /code is spoke_missing/],
    [{ status: 500, ...problem(500, "Internal Server Error") }, /code is bad_query, and declared are internal_error/],
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
  for (const [doctored, pattern] of wrong) assert.match(String(judged(doctored)), pattern, JSON.stringify(doctored));
});

checking("follows references, and closes what is put together of parts as a whole", () => {
  const part = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });
  const whole = openDocument({
    paths: {},
    components: { schemas: { Part: part("a"), Whole: { allOf: [part("a"), part("b")] } } },
  });
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const [one, both] = [reference("Part"), { anyOf: [reference("Whole"), { type: "null" }] }];
  assert.is(whole.misfit(one, { a: "x" }), null);
  assert.match(String(whole.misfit(one, { a: "x", b: "y" })), /b is not declared/);
  for (const good of [{ a: "x", b: "y" }, null]) assert.is(whole.misfit(both, good), null);
  for (const bad of [{ a: "x", c: "y" }, { a: 1 }, 7]) assert.ok(whole.misfit(both, bad), JSON.stringify(bad));
});

checking("is strict about refusals as soon as one of them is declared", () => {
  const responses = { 200: { description: "" }, 400: { description: "" }, default: { description: "" } };
  const strict = openDocument({ paths: { "/x": { get: { responses } } } }).find("/x")!.operation("GET")!;
  assert.ok(strict.answer(400));
  assert.is(strict.answer(409), null);
});

checking("fails whoever asked, by method, path, status and what is wrong, for the program's own routes", () => {
  const headers = new Headers(HEADERS);
  const seen = { method: "GET", path: "/api/version?a=1", status: 200, headers, text: '{"api":"v0","commit":"abc"}' };
  conformTo()(seen);
  const wrong = { ...seen, text: '{"api":"v0","commit":"abc","secret":1}' };
  assert.throws(() => conformTo()(wrong), /^GET \/api\/version\?a=1 answered 200 .*secret is not declared:\n\{"api"/s);
  assert.throws(() => conformTo()({ ...wrong, status: 409 }), /answered 409 .*status is not declared/);
  conformTo([])(wrong);
});

checking.run();

// From here on it is scene.send that holds every answer against the document.
const test = suite<{ scene: Scene; samples: Samples }>("every endpoint");
test.before(async (context) => {
  context.scene = await openScene({ env: { BODY_LIMIT_BYTES: "1024", SIGNUP: "on", TRUSTED_PROXIES: "127.0.0.0/8" } });
  context.samples = await sampleParams(context.scene);
});
test.after(({ scene }) => scene.close());

const all = endpointsOf(manifest);
/** Nobody, where an endpoint is for that, since it refuses whoever brings a token; else an operator. */
const callerFor = (scene: Scene, { scope }: AnyEndpoint) =>
  scene.as(["flow", "public"].includes(scope) ? "nobody" : "operator");

test("with GET answers an operator, and HEAD likewise without a body", async ({ scene, samples }) => {
  for (const { name, pattern, method, endpoint } of all) {
    if (method !== "GET") continue;
    const path = pathOf(pattern, samples), headers = await callerFor(scene, endpoint).credentials();
    const head = await insist(() => scene.send(path, { method: "HEAD", headers }));
    assert.is(head.body, "", name);
    assert.ok(head.status < 500, name);
    if (isStream(endpoint)) continue;
    const { status } = await insist(() => scene.send(path, { headers }));
    assert.is(status, head.status, name);
    const bare = !isPage(endpoint) && !fieldsOf(endpoint.query).some(({ required }) => required);
    if (bare) assert.is(status, endpoint.reply.status, name); // a page behind a mailed link says so without one
  }
});

test("is 405 with Allow for any other method, and 204 with Allow for OPTIONS", async ({ scene, samples }) => {
  for (const [pattern, module] of manifest) {
    const path = pathOf(pattern, samples);
    for (const method of [...METHODS, "BREW"] as const) {
      if (method in module || method === "GET" && "HEAD" in module) continue;
      assert.is((await insist(() => scene.send(path, { method }))).status, 405, `${method} ${pattern}`);
    }
    assert.is((await insist(() => scene.send(path, { method: "OPTIONS" }))).status, 204, pattern);
  }
});

test("that takes a body is 415, 413 or 400 for one that it cannot read", async ({ scene, samples }) => {
  const json = { "content-type": "application/json" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  let tries = 0;
  const chunks = () => new Blob(["x".repeat(2000)]).stream();
  const cases: readonly (readonly [number, RegExp, () => RequestInit])[] = [
    [415, /application\/json/, () => ({ headers: { "content-type": "text/plain" }, body: "{}" })],
    [415, /application\/json/, () => ({ headers: { "content-type": "application/jsonp" }, body: "{}" })],
    [415, /application\/json/, () => ({ headers: { ...json, "content-encoding": "gzip" }, body: "{}" })],
    [413, /1024 bytes/, () => ({ headers: json, body: `{"a":"${"x".repeat(2000)}"}` })],
    [413, /1024 bytes/, () => ({ headers: json, body: chunks(), duplex: "half" } as RequestInit)],
    [400, /JSON in UTF-8/, () => ({ headers: json, body: '{"a":' })],
    [400, /JSON object/, () => ({ headers: json, body: "[]" })],
  ];
  const formCases: typeof cases = [
    [415, /must be a form/, () => ({ headers: json, body: "{}" })],
    [413, /1024 bytes/, () => ({ headers: form, body: `a=${"x".repeat(2000)}` })],
    [400, /percent-encoded UTF-8/, () => ({ headers: form, body: "a=%ff" })],
    [400, /each field once/, () => ({ headers: form, body: "a=1&a=2" })],
  ];
  for (const { name, method, pattern, endpoint } of all) {
    if (!endpoint.body) continue;
    const path = pathOf(pattern, samples);
    for (const [status, message, init] of endpoint.form ? formCases : cases) {
      const own = await callerFor(scene, endpoint).credentials();
      const answer = await insist(() => {
        const { headers, ...rest } = init();
        const from = { "x-forwarded-for": `10.0.${tries >> 8}.${tries++ & 255}` }; // the login bucket is not what is tried here
        return scene.send(path, {
          method,
          ...rest,
          headers: { ...own, ...headers as Record<string, string>, ...from },
        });
      });
      const said = answer.body.message ?? answer.body;
      assert.is(answer.status, status, `${name}: ${said}`);
      assert.match(said, message, name);
    }
  }
});

test("that is a list takes limit from 1 to 100, and before as ISO or milliseconds", async ({ scene, samples }) => {
  for (const { name, pattern, endpoint } of endpointsOf(withoutPortal(manifest))) {
    const fields = fieldsOf(endpoint.query).map((field) => field.name);
    if (!fields.includes("limit") && !fields.includes("before")) continue;
    const { get } = scene.as("operator");
    const ask = (query: string) => insist(() => get(`${pathOf(pattern, samples)}?${query}`));
    const takes = async (query: string) => assert.is((await ask(query)).status, 200, `${name}?${query}`);
    const refuses = async (query: string) => {
      const { status, body } = await ask(query);
      assert.is(status, 400, `${name}?${query}`);
      assert.match(body.message, new RegExp(`^${query.split("=")[0]} must be `), name);
    };
    const capped = pattern === "/api/notifications"; // design 11: it takes any limit from 1
    for (const good of ["1", "100", ...(capped ? ["101", "5000"] : [])]) await takes(`limit=${good}`);
    for (const bad of ["0", "-1", "1.5", "1e1", "", "ten", "%201", ...(capped ? [] : ["101", "5000"])]) {
      await refuses(`limit=${bad}`);
    }
    for (const good of ["0", "1700000000000", AT, "2026-11-21T12:00:00%2B01:00"]) await takes(`before=${good}`);
    const soon = ["", "soon", "-1", "1e5", "2026-11-21", "2026-13-01T00:00:00Z", "infinity"];
    for (const bad of [...soon, "9".repeat(15), "9".repeat(16), "253402300800000", "0000-01-01T00:00Z"]) {
      await refuses(`before=${bad}`);
    }
    assert.is((await ask("limit=1&limit=2")).status, 400, name);
  }
});

test.run();
