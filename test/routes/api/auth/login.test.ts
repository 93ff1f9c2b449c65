import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import type { LoginAttempt } from "#lib/base/limits/login-attempts.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { jsonPost } from "#test/support/handler.ts";
import { PASSWORD } from "#test/support/users.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("POST /api/auth/login");

test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

test("returns the user and a session cookie", async ({ scene }) => {
  const { email, id } = scene.people.hubAdmin;
  const login = await scene.as("nobody").post("/api/auth/login", {
    email: ` ${email.toUpperCase()}`,
    password: PASSWORD,
  });
  assert.is(login.status, 200);
  assert.equal(login.body, {
    user: { id, email, role: "hub_admin", federationIds: [scene.hub], displayName: "hub-admin", spokeIds: [] },
  });
  assert.is(login.headers.get("cache-control"), "no-store");
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const me = await scene.send("/api/auth/me", { headers: { cookie } });
  assert.equal(me.body, login.body);
});

test("works without /api too, as documented", async ({ scene }) => {
  const body = { email: scene.people.stranger.email, password: PASSWORD };
  assert.is((await scene.as("nobody").post("/auth/login", body)).status, 200);
});

test("answers 401 with the same message for a wrong password and an unknown address", async ({ scene }) => {
  const { email } = scene.people.stranger;
  const wrong = await scene.as("nobody").post("/api/auth/login", { email, password: "not the password" });
  const unknown = await scene.as("nobody").post("/api/auth/login", { email: "who@example.org", password: PASSWORD });
  const body = {
    statusCode: 401,
    code: "login_failed",
    message: "Wrong email address or password",
    error: "Unauthorized",
  };
  assert.equal([wrong.status, wrong.body], [401, body]);
  assert.equal([unknown.status, unknown.body], [401, body]);
  assert.is(wrong.headers.get("set-cookie"), null);
});

test("answers 400 and names an invalid field", async ({ scene }) => {
  const good = { email: "a@example.org", password: PASSWORD };
  const cases: [string, unknown][] = [
    ["email", { ...good, email: "a\0@example.org" }],
    ["email", { ...good, email: "a\ud800@example.org" }],
    ["password", { ...good, password: "nul\0" }],
    ["password", { ...good, password: "half \udc00" }],
    ["password", { email: good.email }], // the bucket refuses a sixth attempt
  ];
  for (const [field, body] of cases) {
    const refused = await scene.as("nobody").post("/api/auth/login", body);
    assert.is(refused.status, 400, JSON.stringify(body));
    assert.match(refused.body.message, field);
  }
});

test("answers 429 from the sixth attempt in a minute, right or wrong, by IP or email address", async ({ scene }) => {
  const { email } = scene.people.stranger;
  const attempt = (path: string, password: string) => scene.as("nobody").post(path, { email, password });
  for (const path of ["/api/auth/login", "/auth/login", "/api/auth/login", "/auth/login", "/api/auth/login"]) {
    assert.is((await attempt(path, "not the password")).status, 401);
  }
  for (const path of ["/api/auth/login", "/auth/login"]) {
    const limited = await attempt(path, PASSWORD);
    assert.is(limited.status, 429);
    assert.equal(limited.body, {
      statusCode: 429,
      code: "too_many_tries",
      message: "too many login attempts",
      error: "Too Many Requests",
    });
    assert.ok(Number(limited.headers.get("retry-after")) > 0);
  }
  assert.is((await listAuditEvents(scene.db.rows, { kind: "auth_login_failed" }, { limit: 99 })).items.length, 5);
});

test("counts a body without any address too", async ({ scene }) => {
  const attempt = (body: unknown) => scene.as("nobody").post("/api/auth/login", body);
  for (const email of ["no address", 7, null, ["a@example.org"], { at: "a@example.org" }]) {
    assert.is((await attempt({ email, password: PASSWORD })).status, 400);
  }
  assert.is((await attempt({ email: scene.people.stranger.email, password: PASSWORD })).status, 429);
});

test("leaves the queue when the client disconnects", async ({ scene }) => {
  const waiting = Promise.withResolvers<AbortSignal | undefined>(), leaving = new AbortController();
  const take = ({ signal }: LoginAttempt) => (waiting.resolve(signal), new Promise<never>(() => {}));
  Object.assign(scene.app, { loginAttempts: { run: take } });
  const server = openServer(scene.app, manifest);
  const login = jsonPost({ email: "ada@example.org", password: PASSWORD });
  const answer = server.request(new Request("http://localhost:3000/auth/login", { ...login, signal: leaving.signal }));
  const signal = await waiting.promise;
  leaving.abort();
  assert.is((await answer).status, 499);
  assert.is(signal?.aborted, true);
});

test("answers 401 with any Authorization header, before bucket and body", async ({ scene }) => {
  for (let i = 0; i < 8; i++) {
    const refused = await scene.as("operator", "cli").post("/api/auth/login", { nonsense: true });
    assert.is(refused.status, 401);
    assert.match(refused.body.message, "session");
  }
});

test("answers 403 for a page of another site", async ({ scene }) => {
  const body = { email: scene.people.stranger.email, password: PASSWORD };
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
    assert.is((await scene.as("nobody").post("/api/auth/login", body, headers)).status, 403);
  }
});

test.run();
