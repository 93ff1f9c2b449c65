import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { ageSession, createTestSession, createTestToken, createTestUser, PASSWORD } from "#test/support/users.ts";
import { updateRows } from "#test/support/rows.ts";

const PATH = "/api/auth/confirm";
const TOKEN = { name: "CI", scope: "cli" };

const test = suite<{ flows: MailLinkFlows }>(`POST ${PATH}`);

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());

/** Uses a separate IP address per user, so that the users share no rate limit. */
let addresses = 0;
async function signedInEarlier(flows: MailLinkFlows, name: string) {
  const person = await createTestUser(flows.db, name), session = await createTestSession(flows.db, person);
  await ageSession(flows.db, session);
  const cookie = `wheelwright=${session.secret}`, address = `198.51.100.${++addresses}`;
  const post = (path: string, body: unknown, headers = {}) => flows.post(path, body, { cookie, ...headers }, address);
  return { person, session, post, createToken: () => post("/api/auth/tokens", TOKEN) };
}

async function listKinds({ db }: MailLinkFlows, actorId: string): Promise<string[]> {
  return (await listAuditEvents(db.rows, { actorId }, { limit: 20 })).items.map(({ kind }) => kind);
}

test("makes the session recent again for 15 minutes", async ({ flows }) => {
  const { person, session, post, createToken } = await signedInEarlier(flows, "ada");
  const refused = await createToken();
  assert.equal([refused.status, refused.body.code], [403, "recent_sign_in_required"]);
  const before = await flows.db.now(), confirmed = await post(PATH, { password: PASSWORD });
  assert.is(confirmed.status, 200);
  const until = Date.parse(confirmed.body.recentUntil), after = await flows.db.now();
  assert.ok(until >= before.getTime() + 900_000 && until <= after.getTime() + 900_000, confirmed.body.recentUntil);
  assert.is((await createToken()).status, 201);
  await ageSession(flows.db, session);
  assert.is((await createToken()).status, 403);
  assert.equal(await listKinds(flows, person.id), ["token_created", "session_confirmed"]);
});

test("refuses a wrong password and records the attempt, so that a stolen session creates no token", async ({ flows }) => {
  const { person, post, createToken } = await signedInEarlier(flows, "bob");
  const refused = await post(PATH, { password: "a wrong password" });
  assert.equal([refused.status, refused.body.code], [403, "wrong_password"]);
  assert.is((await createToken()).body.code, "recent_sign_in_required");
  assert.equal(await listKinds(flows, person.id), ["session_confirmation_failed"]);
});

test("refuses a user without a password", async ({ flows }) => {
  const { person, post, createToken } = await signedInEarlier(flows, "cid");
  await updateRows(flows.db, "users", { passwordHash: null }, { id: person.id });
  assert.is((await post(PATH, { password: PASSWORD })).status, 403);
  assert.is((await createToken()).status, 403);
});

test("counts in the login limit", async ({ flows }) => {
  const { post } = await signedInEarlier(flows, "dan");
  for (let i = 0; i < 5; i++) await post(PATH, { password: "a wrong password" });
  assert.is((await post(PATH, { password: PASSWORD })).status, 429);
});

test("refuses tokens, ended sessions, and requests from other sites", async ({ flows }) => {
  const { person, session, post, createToken } = await signedInEarlier(flows, "eve");
  const { plaintext } = await createTestToken(flows.db, person, "cli");
  assert.is((await post(PATH, { password: PASSWORD }, { authorization: `Bearer ${plaintext}` })).status, 401);
  assert.is((await post(PATH, { password: PASSWORD }, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.is((await createToken()).status, 403);
  await updateRows(flows.db, "sessions", { endedAt: await flows.db.now() }, { id: session.id });
  assert.is((await post(PATH, { password: PASSWORD })).status, 401);
});

test.run();
