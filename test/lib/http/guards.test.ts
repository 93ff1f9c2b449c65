import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { type AccessRule, type Actor, publicAccess, signedInAccess } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { Slug } from "#lib/base/schema.ts";
import { jsonPost, openTestHandler } from "#test/support/handler.ts";

const test = suite("guards");

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

test("refuses any Authorization header on a flow before rate limit and body", async () => {
  const { send } = await open(
    "/api/auth/login",
    echo({ access: publicAccess, scope: "flow", rateLimitMessage: "too many login attempts" }),
  );
  for (let i = 0; i < 6; i++) {
    const answer = await send("/auth/login", jsonPost("not json", { authorization: "Basic x" }));
    assert.is(answer.status, 401);
    assert.is(answer.headers.get("www-authenticate"), "Bearer");
  }
  assert.is((await send("/auth/login", jsonPost({ slug: "oak" }))).status, 200);
});

test("refuses a token where a session is required, and names the purpose", async () => {
  const { send } = await open("/api/auth/tokens", echo({ scope: "session", purpose: "token minting" }));
  const answer = await send("/api/auth/tokens", jsonPost({ slug: "oak" }, cli));
  assert.is(answer.status, 401);
  assert.is(answer.body.message, "token minting requires a session");
  assert.is((await send("/api/auth/tokens", jsonPost({ slug: "oak" }))).status, 401);
  assert.is((await send("/api/auth/tokens", jsonPost({ slug: "oak" }, { cookie: "session" }))).status, 200);
});

test("limits a token to its scope and narrower ones", async () => {
  const scopes = ["readonly", "provisioning", "cli"] as const;
  for (const [least, needed] of scopes.entries()) {
    const { send } = await open("/api/x", echo({ scope: needed }));
    for (const [rank, scope] of scopes.entries()) {
      const answer = await send("/api/x", jsonPost({ slug: "oak" }, { authorization: `Bearer ${scope}` }));
      assert.is(answer.status, rank >= least ? 200 : 403, `${scope} where ${needed} is needed`);
      if (answer.status === 403) assert.match(answer.body.message, needed);
    }
    assert.is((await send("/api/x", jsonPost({ slug: "oak" }, { cookie: "session" }))).status, 200);
  }
});

test("checks the credential, then the scope, then the object, then the input", async () => {
  const none: AccessRule<Actor, object> = {
    name: "none",
    admit: () => Promise.reject(new Fault("missing", "thing_missing", "There is no such thing")),
  };
  const { send } = await open("/api/x", echo({ access: none, scope: "cli" }));
  assert.is((await send("/api/x", jsonPost("not json", { authorization: "Bearer nonsense" }))).status, 401);
  assert.is((await send("/api/x", jsonPost("not json", { authorization: "Bearer readonly" }))).status, 403);
  assert.is((await send("/api/x", jsonPost("not json", { authorization: "Bearer cli" }))).status, 404);
  const allowed = await open("/api/x", echo());
  assert.is((await allowed.send("/api/x", jsonPost("not json", { authorization: "Bearer readonly" }))).status, 403);
});

test("ignores credentials on public endpoints", async () => {
  const get = endpoint({
    summary: "Get",
    access: publicAccess,
    scope: "public",
    reply: okReply(ResultSchema),
    handle: ({ actor }) => ({ seen: actor }),
  });
  const { send } = await openTestHandler([["/api/x", { GET: get }]]);
  assert.equal((await send("/api/x", { headers: { authorization: "Bearer nonsense" } })).body, { seen: null });
});

test("refuses browser requests from other sites", async () => {
  const { send } = await open("/api/x", echo());
  const status = async (headers: Record<string, string>) =>
    (await send("/api/x", jsonPost({ slug: "oak" }, { cookie: "session", ...headers }))).status;
  assert.is(await status({}), 200);
  assert.is(await status({ "sec-fetch-site": "same-origin" }), 200);
  assert.is(await status({ "sec-fetch-site": "none" }), 200);
  assert.is(await status({ "sec-fetch-site": "same-site" }), 403);
  assert.is(await status({ "sec-fetch-site": "cross-site", origin: "http://localhost:3000" }), 403);
  assert.is(await status({ origin: "http://localhost:3000" }), 200);
  assert.is(await status({ origin: "https://evil.example" }), 403);
  assert.is(await status({ origin: "null" }), 403);
  assert.is(await status({ origin: "http://hub.internal", host: "hub.internal" }), 200);
  const bearer = await send("/api/x", jsonPost({ slug: "oak" }, { ...cli, "sec-fetch-site": "cross-site" }));
  assert.is(bearer.status, 200);
});

test.run();
