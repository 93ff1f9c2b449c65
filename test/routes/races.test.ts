/**
 * Tests simultaneous requests with the real handler and PostgreSQL: each effect happens once, and all callers get a
 * response.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addOneTimeTokenSecret, createOneTimeToken } from "#lib/domains/auth/one-time-tokens.ts";
import { createId } from "#lib/base/ids.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { createTestUser, PASSWORD } from "#test/support/users.ts";
import { retryUnavailable } from "#test/support/probes/retry-unavailable.ts";
import { sampleParams } from "#test/support/probes/samples.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("of many simultaneous");
test.before(async (context) => {
  context.scene = await openScene({ env: { TRUSTED_PROXIES: "127.0.0.0/8" } });
  // A correct and quick replacement of scrypt, which would only delay the requests.
  const verify = (password: string) => Promise.resolve(password === PASSWORD ? "right" as const : "wrong" as const);
  Object.assign(context.scene.app, { passwords: { hash: () => Promise.resolve("$scrypt$"), verify } });
});
test.after(({ scene }) => scene.close());

/** The number of simultaneous requests. */
function together(times: number, send: (i: number) => Promise<ClientResponse>): Promise<ClientResponse[]> {
  return Promise.all(Array.from({ length: times }, (_, i) => retryUnavailable(() => send(i))));
}

/** Counts the responses by status. */
function tally(answers: readonly ClientResponse[]): Record<string, number> {
  const groups = [...Map.groupBy(answers, ({ status }) => status)].sort(([a], [b]) => a - b);
  return Object.fromEntries(groups.map(([status, { length }]) => [status, length]));
}

const count = async ({ db }: Scene, question: string, ...params: unknown[]): Promise<number> =>
  Number((await db.sql(`select count(*) from ${question}`, params))[0].count);

test("creations of a spoke with one slug, one succeeds", async ({ scene }) => {
  const { post } = scene.as("hubAdmin", "cli");
  const answers = await together(100, () => post(`/api/federations/${scene.hub}/spokes`, { slug: "ash" }));
  assert.equal(tally(answers), { 201: 1, 409: 99 });
  for (const { status, body } of answers) {
    if (status === 409) assert.match(body.message, "already has a spoke with the slug ash");
  }
  assert.is(await count(scene, "spokes where slug = 'ash'"), 1);
  assert.is(await count(scene, "jobs join spokes on spokes.id = jobs.spoke_id where slug = 'ash'"), 1);
});

test("creations of a hub with one slug, one succeeds", async ({ scene }) => {
  const answers = await together(30, () => scene.as("operator").post("/api/federations", { slug: "west" }));
  assert.equal(tally(answers), { 201: 1, 409: 29 });
  assert.is(await count(scene, "federations where slug = 'west'"), 1);
});

test("creations of a spoke with one domain, in two hubs, one succeeds", async ({ scene }) => {
  const { body: other } = await scene.as("operator").post("/api/federations", { slug: "east" });
  const hubs = [scene.hub, other.id], domain = "one.example.org";
  const answers = await together(
    20,
    (i) => scene.as("operator").post(`/api/federations/${hubs[i % 2]}/spokes`, { slug: `d${i}`, domain }),
  );
  assert.equal(tally(answers), { 201: 1, 409: 19 });
});

test("requests with one Idempotency-Key, one runs and all get its response", async ({ scene }) => {
  const { post } = scene.as("hubAdmin", "cli"), path = `/api/federations/${scene.hub}/spokes`;
  const headers = { "idempotency-key": createId("req") };
  const answers = await together(50, () => post(path, { slug: "birch" }, headers));
  assert.equal(tally(answers), { 201: 50 });
  for (const { body, headers } of answers) {
    assert.equal(body, answers[0]!.body);
    assert.is(headers.get("location"), `/api/spokes/${answers[0]!.body.id}`);
  }
  assert.is(await count(scene, "spokes where slug = 'birch'"), 1);
  assert.is((await post(path, { slug: "cedar" }, headers)).status, 422);
  assert.is(await count(scene, "spokes where slug = 'cedar'"), 0);
});

test("requests with one Idempotency-Key and two bodies, one body runs", async ({ scene }) => {
  const { post } = scene.as("hubAdmin", "cli"), path = `/api/federations/${scene.hub}/spokes`;
  const headers = { "idempotency-key": createId("req") };
  const answers = await together(20, (i) => post(path, { slug: i % 2 ? "elm" : "fir" }, headers));
  assert.equal(tally(answers), { 201: 10, 422: 10 });
  assert.is(await count(scene, "spokes where slug in ('elm', 'fir')"), 1);
});

test("revocations of a token, one succeeds and the others are 404", async ({ scene }) => {
  const { tokenId } = await sampleParams(scene);
  const answers = await together(20, () => scene.as("hubAdmin").delete(`/api/auth/tokens/${tokenId!.own}`));
  assert.equal(tally(answers), { 204: 1, 404: 19 });
  assert.is(await count(scene, "audit_events where kind = 'token_revoked' and object_id = $1", tokenId!.own), 1);
});

test("logins, right and wrong, each gets its own response and session", async ({ scene }) => {
  const { email, id } = scene.people.stranger;
  const before = await count(scene, "sessions where user_id = $1", id);
  const answers = await together(
    50,
    (i) => logIn(scene, email, i % 2 ? PASSWORD : "wrong wrong wrong", `192.0.2.${i}`),
  );
  answers.forEach(({ status }, i) => assert.is(status, i % 2 ? 200 : 401));
  const cookies = answers.map(({ headers }) => headers.get("set-cookie")).filter(Boolean);
  assert.is(new Set(cookies).size, 25);
  assert.is(await count(scene, "sessions where user_id = $1", id), before + 25);
});

test("logins from one address, five are checked", async ({ scene }) => {
  const { email } = scene.people.stranger;
  const answers = await together(50, () => logIn(scene, email, "wrong wrong wrong", "203.0.113.9"));
  assert.equal(tally(answers), { 401: 5, 429: 45 });
});

test("decisions on one hub request, exactly one succeeds", async ({ scene }) => {
  const { body: { id } } = await scene.as("stranger").post("/api/federation-requests", { slug: "requested" });
  const decisions = [["approve", {}], ["reject", { reason: "No" }]] as const;
  const answers = await together(20, (i) => {
    const [decision, body] = decisions[i % 2]!;
    return scene.as("operator").post(`/api/federation-requests/${id}/${decision}`, body);
  });
  assert.equal(tally(answers), { 200: 1, 409: 19 });
  const { state } = answers.find(({ status }) => status === 200)!.body;
  const approved = state === "approved" ? 1 : 0;
  assert.is(await count(scene, "federations where slug = 'requested'"), approved);
  assert.is(await count(scene, "federation_members where user_id = $1", scene.people.stranger.id), approved);
  const decided = "audit_events where kind in ('federation_request_approved', 'federation_request_rejected')";
  assert.is(await count(scene, `${decided} and object_id = $1`, id), 1);
});

test("delegations to one new address, one creates user, membership and mail", async ({ scene }) => {
  const body = { email: "New.Teacher@example.org", displayName: "New" };
  const answers = await together(
    100,
    () => scene.as("hubAdmin", "cli").post(`/api/spokes/${scene.spoke}/delegate`, body),
  );
  assert.equal(tally(answers), { 200: 100 });
  const [user] = await scene.db.sql("select id from users where lower(email) = 'new.teacher@example.org'");
  assert.is(await count(scene, "users where lower(email) = 'new.teacher@example.org'"), 1);
  for (const { body } of answers) {
    assert.equal([body.status, body.userId, body.email], ["invited", user.id, "new.teacher@example.org"]);
  }
  assert.is(await count(scene, "spoke_members where user_id = $1", user.id), 1);
  const mails = "jobs where kind = 'mail' and payload #>> '{letter,to,email}' = $1";
  assert.is(await count(scene, mails, "new.teacher@example.org"), 1);
});

test("delegations of two spokes to an unverified address, one sends an email", async ({ scene }) => {
  const { id, email } = await createTestUser(scene.db, "unverified", { verified: false });
  const spokes = [scene.spoke, await insertSpoke(scene.db, scene.people.operator.id, scene.hub, "yew")];
  const { post } = scene.as("operator");
  const answers = await together(50, (i) => post(`/api/spokes/${spokes[i % 2]}/delegate`, { email }));
  assert.equal(tally(answers), { 200: 50 });
  for (const { body } of answers) assert.equal([body.status, body.userId], ["invited", id]);
  assert.is(await count(scene, "spoke_members where user_id = $1", id), 2);
  assert.is(await count(scene, "jobs where kind = 'mail' and payload #>> '{letter,to,email}' = $1", email), 1);
});

test("uses of one emailed link, one sets the password", async ({ scene }) => {
  const { id } = scene.people.spokeAdmin;
  const token = await scene.db.transact(async (tx) => {
    const grant = await createOneTimeToken(tx, "password_reset", id);
    return await addOneTimeTokenSecret(tx, grant.id);
  });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ token, password: "correct horse battery staple" });
  const answers = await together(20, () => scene.send("/api/auth/reset-password", { method: "POST", headers, body }));
  assert.equal(tally(answers), { 200: 1, 422: 19 });
  assert.is(await count(scene, "audit_events where kind = 'password_reset' and object_id = $1", id), 1);
});

test.run();

function logIn(scene: Scene, email: string, password: string, address: string): Promise<ClientResponse> {
  const headers = { "content-type": "application/json", "x-forwarded-for": address };
  return scene.send("/api/auth/login", { method: "POST", headers, body: JSON.stringify({ email, password }) });
}
