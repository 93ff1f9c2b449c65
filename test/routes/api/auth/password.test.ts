import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { changeOwnPassword } from "#lib/domains/auth/own-account.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import { createLoginThrottle } from "#lib/base/limits/login-attempts.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { createTestSession, createTestToken, createTestUser, PASSWORD, type TestUser } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const PATH = "/api/auth/password";
const NEW = "a wholly new password";
const ORIGIN = { ip: "192.0.2.9", userAgent: "Firefox" };

const test = suite<{ flows: MailLinkFlows }>(`POST ${PATH}`);

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());

/** Uses a separate IP address per call, so that the calls share no bucket. */
let addresses = 0;
async function signedIn(flows: MailLinkFlows, name: string) {
  const person = await createTestUser(flows.db, name), { secret } = await createTestSession(flows.db, person);
  const cookie = `wheelwright=${secret}`, address = `198.51.100.${++addresses}`;
  const change = (body: unknown, headers = {}) => flows.post(PATH, body, { cookie, ...headers }, address);
  return { person, cookie, change };
}

async function statusOf(flows: MailLinkFlows, headers: Record<string, string>): Promise<number> {
  return (await flows.send("/api/auth/me", { headers })).status;
}

async function kindsOf(flows: MailLinkFlows, { id }: TestUser): Promise<string[]> {
  return (await listAuditEvents(flows.db.rows, { actorId: id }, { limit: 20 })).items.map(({ kind }) => kind);
}

test("sets the password, replaces all sessions with a new one, voids open links and keeps tokens", async ({ flows }) => {
  const { person, cookie, change } = await signedIn(flows, "ada");
  const other = await createTestSession(flows.db, person), token = await createTestToken(flows.db, person, "cli");
  const link = await flows.link("password_reset", person);
  const { status, headers } = await change({ current: PASSWORD, password: NEW });
  assert.is(status, 200);
  assert.ok(await flows.opens(person.email, NEW));
  assert.is(await statusOf(flows, { cookie: `wheelwright=${other.secret}` }), 401);
  assert.is(await statusOf(flows, { cookie }), 401);
  assert.is(await statusOf(flows, { cookie: headers.get("set-cookie")!.split(";")[0]! }), 200);
  assert.is(await statusOf(flows, { authorization: `Bearer ${token.plaintext}` }), 200);
  assert.is((await flows.post("/api/auth/reset-password", { token: link, password: "yet another one" })).status, 422);
  assert.equal(await kindsOf(flows, person), ["password_changed"]);
  const mail = await flows.postman.next(person.email);
  assert.match(mail.text, `The password for ${person.email}`);
});

test("changes nothing for a wrong password, and records the attempt", async ({ flows }) => {
  const { person, cookie, change } = await signedIn(flows, "bob");
  const refused = await change({ current: "a wrong password", password: NEW });
  assert.equal([refused.status, refused.headers.get("set-cookie")], [403, null]);
  assert.match(refused.body.message, "the current password is wrong");
  assert.ok(await flows.opens(person.email, PASSWORD));
  assert.is(await statusOf(flows, { cookie }), 200);
  assert.equal(await kindsOf(flows, person), ["password_change_failed"]);
});

test("counts in the login bucket", async ({ flows }) => {
  const { person, change } = await signedIn(flows, "cid");
  const address = `198.51.100.${addresses}`;
  for (let i = 0; i < 4; i++) await change({ current: "a wrong password", password: NEW });
  const login = { email: person.email, password: PASSWORD };
  assert.is((await flows.post("/api/auth/login", login, {}, address)).status, 200);
  assert.is((await change({ current: PASSWORD, password: NEW })).status, 429);
  assert.is((await flows.post("/api/auth/login", login, {}, address)).status, 429);
});

test("shares the delay of wrong passwords with all logins of the account", async ({ flows }) => {
  const { person, cookie } = await signedIn(flows, "dan");
  const request = new Request("http://localhost:3000/", { headers: { cookie } });
  const actor = (await authenticate(flows.app, request, ORIGIN))!;
  const app = { ...flows.app, attempts: createLoginThrottle({ after: () => () => {} }) };
  const wrong = { current: "a wrong password", password: NEW };
  for (let i = 0; i < 5; i++) assert.is((await rejection(changeOwnPassword(app, actor, wrong))).code, "wrong_password");
  const leaving = new AbortController();
  const waiting = rejection(changeOwnPassword(app, actor, { current: PASSWORD, password: NEW }, leaving.signal));
  leaving.abort(new Error("The client is gone"));
  assert.is((await waiting).message, "The client is gone");
  assert.ok(await flows.opens(person.email, PASSWORD));
});

test("refuses passwords that break the rules", async ({ flows }) => {
  const { person, change } = await signedIn(flows, "eve");
  for (const password of ["short", person.email, undefined]) {
    assert.is((await change({ current: PASSWORD, password })).status, 400);
  }
  assert.ok(await flows.opens(person.email, PASSWORD));
});

test("refuses tokens and pages of other sites", async ({ flows }) => {
  const { person, change } = await signedIn(flows, "fay"),
    { plaintext } = await createTestToken(flows.db, person, "cli");
  const body = { current: PASSWORD, password: NEW };
  const byToken = await change(body, { authorization: `Bearer ${plaintext}` });
  assert.equal([byToken.status, byToken.body.message], [401, "changing the password requires a session"]);
  assert.is((await change(body, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.ok(await flows.opens(person.email, PASSWORD));
});

test("succeeds for one of several simultaneous requests, and discards those that checked the old password", async ({ flows }) => {
  const { person, cookie } = await signedIn(flows, "gus");
  const changes = [1, 2, 3, 4, 5].map((i) =>
    flows.post(PATH, { current: PASSWORD, password: `${NEW} ${i}` }, { cookie }, `203.0.113.${i}`)
  );
  const statuses = (await Promise.all(changes)).map(({ status }) => status);
  assert.is(statuses.filter((status) => status === 200).length, 1);
  assert.ok(statuses.every((status) => [200, 401, 403].includes(status)), String(statuses));
  assert.ok(await flows.opens(person.email, `${NEW} ${statuses.indexOf(200) + 1}`));
  const live = await selectRows(flows.db, "sessions", { userId: person.id, endedAt: null }, { columns: ["id"] });
  assert.is(live.length, 1);
});

test.run();
