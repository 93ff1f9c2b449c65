import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { type AccessRule, type Actor, publicAccess, signedInAccess } from "#lib/domains/auth/access.ts";
import { type AnyEndpoint, endpoint, type Manifest } from "#lib/http/endpoint.ts";
import { addCookieHeader, createdReply, noContentReply, okReply } from "#lib/http/reply.ts";
import { Slug } from "#lib/base/schema.ts";
import { jsonPost, openTestHandler } from "#test/support/handler.ts";

const test = suite("mountRoutes");

const Body = v.object({ slug: Slug, size: v.optional(v.picklist(["small", "large"])) });
const ResultSchema = v.object({ seen: v.any() });

function echo(more: Partial<AnyEndpoint> = {}): AnyEndpoint {
  return endpoint({
    summary: "Echo",
    access: signedInAccess,
    scope: "cli",
    body: Body,
    reply: okReply(ResultSchema),
    handle: ({ body }) => ({ seen: body }),
    ...more,
  }) as AnyEndpoint;
}

const open = (path: string, post: AnyEndpoint) => openTestHandler([[path, { POST: post }]]);
const cli = { authorization: "Bearer cli" };

test("returns the handler's value, filtered by the reply's schema", async () => {
  const reply = okReply(v.object({ name: v.string() }));
  const handle = () => ({ name: "oak", passwordHash: "secret" });
  const { send } = await open("/api/x", echo({ reply, handle }));
  const answer = await send("/api/x", jsonPost({ slug: "oak" }, cli));
  assert.is(answer.status, 200);
  assert.equal(answer.body, { name: "oak" });
  assert.is(answer.headers.get("cache-control"), "no-store");
});

test("answers 500 and logs an error if the reply does not match its schema", async () => {
  const { send, log } = await open("/api/x", echo({ handle: () => "not an object" }));
  const answer = await send("/api/x", jsonPost({ slug: "oak" }, cli));
  assert.is(answer.status, 500);
  assert.is(
    answer.body.message,
    `An internal error occurred; the request ID is ${answer.headers.get("x-request-id")}`,
  );
  assert.match(log.find((entry) => entry.level === "error").error.message, "does not match its schema");
});

test("answers 201 with the location of the created object", async () => {
  const schema = v.object({ id: v.pipe(v.number(), v.transform((id) => `spk_${id}`)) });
  const { send } = await open(
    "/api/x",
    echo({ reply: createdReply(schema, ({ id }) => `/api/x/${id}`), handle: () => ({ id: 7 }) }),
  );
  const answer = await send("/api/x", jsonPost({ slug: "oak" }, cli));
  assert.is(answer.status, 201);
  assert.is(answer.headers.get("location"), "/api/x/spk_7");
});

test("sets the cookie of a reply, even without content", async () => {
  const { send } = await open(
    "/api/x",
    echo({ reply: addCookieHeader(noContentReply), handle: () => ({ body: undefined, cookie: "a=b; Path=/" }) }),
  );
  const answer = await send("/api/x", jsonPost({ slug: "oak" }, cli));
  assert.is(answer.status, 204);
  assert.is(answer.headers.get("set-cookie"), "a=b; Path=/");
});

test("reads the object before the caller is known, but only for requests with credentials", async () => {
  const read: string[] = [];
  const access: AccessRule<Actor, { readonly thing: string }> = {
    name: "thing",
    prefetch: ({ params: { id = "" } }) => {
      read.push(id);
      return id === "broken" ? Promise.reject(new Error("Cannot read")) : Promise.resolve(`thing ${id}`);
    },
    async admit({ actor, prefetched }) {
      if (!actor) return await signedInAccess.admit({ actor } as never) as never;
      return { actor, thing: await prefetched as string };
    },
  };
  const show = endpoint({
    summary: "Show",
    access,
    scope: "cli",
    reply: okReply(ResultSchema),
    handle: ({ thing }) => ({ seen: thing }),
  }) as AnyEndpoint;
  const { send } = await openTestHandler([["/api/x/:id", { GET: show }]]);
  assert.equal((await send("/api/x/1", { headers: cli })).body, { seen: "thing 1" });
  assert.is((await send("/api/x/2")).status, 401);
  assert.is((await send("/api/x/broken", { headers: cli })).status, 500);
  assert.is((await send("/api/x/broken", { headers: { cookie: "unknown" } })).status, 401);
  assert.is((await send("/api/x/%ff", { headers: cli })).body.code, "bad_path");
  assert.equal(read, ["1", "broken", "broken"]);
});

test("answers 404 to an unknown path, and 405 with Allow to an unsupported method", async () => {
  const { send } = await openTestHandler([["/api/x", { GET: echo(), DELETE: echo() }]]);
  const missing = await send("/api/y");
  assert.is(missing.status, 404);
  assert.equal(missing.body, {
    statusCode: 404,
    code: "no_route",
    message: "No endpoint at this path",
    error: "Not Found",
  });
  const wrong = await send("/api/x", { method: "PUT" });
  assert.is(wrong.status, 405);
  assert.is(wrong.headers.get("allow"), "GET, HEAD, DELETE, OPTIONS");
  assert.equal([wrong.body.code, wrong.body.error], ["wrong_method", "Method Not Allowed"]);
  const options = await send("/api/x", { method: "OPTIONS" });
  assert.is(options.status, 204);
  assert.is(options.headers.get("allow"), "GET, HEAD, DELETE, OPTIONS");
});

test("answers HEAD like GET without a body", async () => {
  const get = endpoint({
    summary: "Get",
    access: publicAccess,
    scope: "public",
    reply: okReply(ResultSchema),
    handle: () => ({ seen: 1 }),
  });
  const { send } = await openTestHandler([["/api/x", { GET: get }]]);
  const answer = await send("/api/x", { method: "HEAD" });
  assert.is(answer.status, 200);
  assert.is(answer.body, "");
  assert.is(answer.headers.get("content-type"), "application/json");
});

test("prefers literal segments to parameters, and ignores a trailing slash", async () => {
  const saying = (text: string) => ({
    GET: echo({ scope: "public", access: publicAccess, body: undefined, handle: () => ({ seen: text }) }),
  });
  const manifest: Manifest = [["/api/x/all", saying("word")], ["/api/x/:id", saying("parameter")]];
  const { send } = await openTestHandler(manifest);
  assert.is((await send("/api/x/all")).body.seen, "word");
  assert.is((await send("/api/x/one")).body.seen, "parameter");
  assert.is((await send("/api/x/one/")).body.seen, "parameter");
  assert.is((await send("/api/x/one/two")).status, 404);
});

test("serves sign-in flows without /api too, with one rate limit", async () => {
  const login = echo({ access: publicAccess, scope: "flow", rateLimitMessage: "too many login attempts" });
  const forgot = echo({ access: publicAccess, scope: "flow", rateLimitMessage: "too many requests" });
  const { send } = await openTestHandler([["/api/auth/login", { POST: login }], ["/api/auth/forgot-password", {
    POST: forgot,
  }]]);
  for (const path of ["/auth/login", "/api/auth/login", "/auth/forgot-password", "/api/auth/login", "/auth/login"]) {
    assert.is((await send(path, jsonPost({ slug: "oak" }))).status, 200);
  }
  const sixth = await send("/api/auth/login", jsonPost({ slug: "oak" }));
  assert.is(sixth.status, 429);
  assert.equal(sixth.body, {
    statusCode: 429,
    code: "too_many_tries",
    message: "too many login attempts",
    error: "Too Many Requests",
  });
  const wait = Number(sixth.headers.get("retry-after"));
  assert.ok(wait > 0 && wait <= 60);
  assert.is((await send("/auth/forgot-password", jsonPost({ slug: "oak" }))).body.message, "too many requests");
  assert.is((await send("/auth/login", jsonPost({ slug: "oak" }), "203.0.113.9")).status, 200);
});

test("passes the loaded objects to the handler", async () => {
  const loading: AccessRule<Actor, { thing: string }> = {
    name: "thing",
    admit: ({ actor, params, query }) => ({ actor: actor!, thing: `${params.id} ${query.more}` }),
  };
  const get = endpoint({
    summary: "Get",
    access: loading,
    scope: "readonly",
    query: v.object({ more: v.string() }),
    reply: okReply(ResultSchema),
    handle: ({ thing }) => ({ seen: thing }),
  });
  const { send } = await openTestHandler([["/api/x/:id", { GET: get }]]);
  assert.is((await send("/api/x/a%20b?more=1", { headers: cli })).body.seen, "a b 1");
});

test("passes the Idempotency-Key and the body's hash, and refuses an invalid key", async () => {
  const handle: AnyEndpoint["handle"] = ({ idempotency }) => ({
    seen: idempotency && { ...idempotency, bodyHash: [...idempotency.bodyHash] },
  });
  const { send } = await open("/api/x/:id", echo({ idempotent: true, handle }));
  const answer = await send("/api/x/7", jsonPost('{"slug":"oak"}', { ...cli, "idempotency-key": "k-1" }));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode('{"slug":"oak"}')));
  assert.equal(answer.body.seen, {
    userId: "usr_1",
    method: "POST",
    path: "/api/x/7",
    key: "k-1",
    bodyHash: [...hash],
  });
  assert.is((await send("/api/x/7", jsonPost({ slug: "oak" }, cli))).body.seen, null);
  for (const key of ["", "a b", "x".repeat(256), "é"]) {
    assert.is((await send("/api/x/7", jsonPost({ slug: "oak" }, { ...cli, "idempotency-key": key }))).status, 400, key);
  }
});

test("sends deprecation headers with every response", async () => {
  const deprecated = { since: "2026-01-01", sunset: "2026-03-01", note: "Use /api/y" };
  const { send } = await open("/api/x", echo({ deprecated }));
  for (const body of [{ slug: "oak" }, {}]) {
    const { headers } = await send("/api/x", jsonPost(body, cli));
    assert.is(headers.get("deprecation"), "@1767225600");
    assert.is(headers.get("sunset"), "Sun, 01 Mar 2026 00:00:00 GMT");
    assert.match(headers.get("link") ?? "", 'rel="deprecation"');
  }
});

test("throws for a deprecation less than 30 days ahead", async () => {
  const deprecated = { since: "2026-01-01", sunset: "2026-01-30", note: "Use /api/y" };
  const error = await open("/api/x", echo({ deprecated })).then(() => null, (error) => error);
  assert.match(error.message, "at least 30 days");
});

test.run();
