import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { createTestFactor, createWrongCode } from "#test/support/factors.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { selectRows } from "#test/support/rows.ts";
import { createTestSession, createTestUser, PASSWORD } from "#test/support/users.ts";

const PATH = "/api/auth/second-factor", LOGIN = "/api/auth/login";

const test = suite<{ flows: MailLinkFlows }>(`POST ${PATH}`);

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());

let addresses = 0;
async function createPerson(flows: MailLinkFlows, name: string) {
  const person = await createTestUser(flows.db, name), factor = await createTestFactor(flows.app, person);
  const from = () => `198.51.${100 + (++addresses >> 8)}.${addresses & 255}`; // no rate limit between the requests
  const logIn = (more = {}, headers = {}) =>
    flows.post(LOGIN, { email: person.email, password: PASSWORD, ...more }, headers, from());
  const finish = (cookie: string, body: unknown, headers = {}) =>
    flows.post(PATH, body, { cookie, ...headers }, from());
  return { person, factor, logIn, finish };
}

const cookieOf = ({ headers }: ClientResponse) => headers.get("set-cookie")!.split(";")[0]!;
const isSignedIn = async (flows: MailLinkFlows, cookie: string) =>
  (await flows.send("/api/auth/me", { headers: { cookie } })).status === 200;

test("finishes a sign-in whose password was right, and the cookie before grants nothing", async ({ flows }) => {
  const { person, factor, logIn, finish } = await createPerson(flows, "ada");
  const first = await logIn();
  assert.equal([first.status, first.body.code], [401, "second_factor_required"]);
  const pending = cookieOf(first), secret = pending.split("=")[1];
  assert.match(pending, /^wheelwright-sign-in=/);
  assert.not(await isSignedIn(flows, pending));
  assert.not(await isSignedIn(flows, `wheelwright=${secret}`));
  const { status, body } = await flows.send(PATH, { headers: { cookie: pending } });
  assert.equal([status, body.email, body.factors], [200, person.email, ["totp"]]);
  const done = await finish(pending, { code: await factor.code() });
  assert.equal([done.status, done.body.user.id], [200, person.id]);
  assert.ok(await isSignedIn(flows, cookieOf(done)));
  assert.is.not(cookieOf(done), `wheelwright=${secret}`);
  assert.is((await finish(pending, { code: await factor.code(1) })).body.code, "sign_in_expired");
  const kinds = (await listAuditEvents(flows.db.rows, { actorId: person.id }, { limit: 9 })).items.map(({ kind }) =>
    kind
  );
  assert.equal(kinds, ["auth_login", "second_factor_requested"]);
});

test("accepts a code with the password, for scripts", async ({ flows }) => {
  const { factor, logIn } = await createPerson(flows, "bob");
  const wrong = await logIn({ code: await createWrongCode(factor) });
  assert.equal([wrong.status, wrong.body.code, wrong.headers.get("set-cookie")], [401, "wrong_code", null]);
  const done = await logIn({ code: await factor.code() });
  assert.equal([done.status, await isSignedIn(flows, cookieOf(done))], [200, true]);
  assert.is((await logIn({ code: await factor.code() })).body.code, "wrong_code"); // a watched code
  const wrongPassword = await logIn({ code: await factor.code(1), password: "a wrong password" });
  assert.is(wrongPassword.body.code, "login_failed");
});

test("accepts each recovery code once, and emails its owner", async ({ flows }) => {
  const { person, factor: { recoveryCodes: [code, other] }, logIn, finish } = await createPerson(flows, "cid");
  const typed = code!.toUpperCase().replaceAll("-", " ");
  assert.is((await finish(cookieOf(await logIn()), { recoveryCode: typed })).status, 200);
  assert.match((await flows.postman.next(person.email)).text, "A recovery code of your account was used");
  assert.is((await finish(cookieOf(await logIn()), { recoveryCode: code })).body.code, "wrong_code");
  assert.is((await logIn({ recoveryCode: other })).status, 200);
  const { factor: foreign } = await createPerson(flows, "cyd");
  assert.is((await finish(cookieOf(await logIn()), { recoveryCode: foreign.recoveryCodes[0] })).status, 401);
});

test("accepts no code of another user, and no cookie of another sign-in", async ({ flows }) => {
  const dan = await createPerson(flows, "dan"), eve = await createPerson(flows, "eve");
  const pending = cookieOf(await dan.logIn());
  assert.is((await dan.finish(pending, { code: await eve.factor.code() })).body.code, "wrong_code");
  const ownSession = `wheelwright=${(await createTestSession(flows.db, eve.person)).secret}`;
  const crossed = await dan.finish(`${pending}; ${ownSession}`, { code: await dan.factor.code() });
  assert.is(crossed.body.user.id, dan.person.id);
  assert.is((await dan.finish("wheelwright-sign-in=forged", { code: await dan.factor.code() })).status, 401);
  assert.is((await dan.finish("", { code: await dan.factor.code() })).status, 401);
});

test("ends the sign-in after 5 wrong codes, then slows codes down, and always accepts a recovery code", async ({ flows }) => {
  const { factor, logIn, finish } = await createPerson(flows, "fay"), wrong = await createWrongCode(factor);
  const pending = cookieOf(await logIn());
  for (let i = 0; i < 5; i++) assert.is((await finish(pending, { code: wrong })).body.code, "wrong_code");
  assert.is((await finish(pending, { code: await factor.code() })).body.code, "sign_in_expired");
  const again = cookieOf(await logIn()), slowed = await finish(again, { code: await factor.code() });
  assert.equal([slowed.status, slowed.body.code], [429, "too_many_codes"]);
  assert.ok(Number(slowed.headers.get("retry-after")) >= 1);
  assert.is((await finish(again, { recoveryCode: factor.recoveryCodes[0] })).status, 200);
});

test("lets nobody without the password delay the owner's codes", async ({ flows }) => {
  const { factor, logIn } = await createPerson(flows, "gus"), wrong = await createWrongCode(factor);
  for (let i = 0; i < 4; i++) await logIn({ password: "a wrong password", code: wrong });
  assert.is((await logIn({ code: await factor.code() })).status, 200);
});

test("ends a sign-in after 10 minutes, a new password and a reset", async ({ flows }) => {
  const { person, factor, logIn, finish } = await createPerson(flows, "hal");
  const late = cookieOf(await logIn());
  await flows.db.sql("update pending_sign_ins set created_at = created_at - interval '10 minutes'");
  assert.is((await finish(late, { code: await factor.code() })).body.code, "sign_in_expired");
  const open = cookieOf(await logIn()), token = await flows.link("password_reset", person);
  await flows.post("/api/auth/reset-password", { token, password: "a wholly new password" });
  assert.is((await finish(open, { code: await factor.code() })).body.code, "sign_in_expired");
  assert.is((await logIn({ password: "a wholly new password" })).body.code, "second_factor_required"); // kept
});

test("uses a code once, also for simultaneous requests", async ({ flows }) => {
  const { person, factor, logIn, finish } = await createPerson(flows, "ida");
  const cookies = [cookieOf(await logIn()), cookieOf(await logIn()), cookieOf(await logIn())],
    code = await factor.code();
  const statuses = (await Promise.all(cookies.map((cookie) => finish(cookie, { code })))).map(({ status }) => status);
  assert.equal(statuses.sort(), [200, 401, 401]);
  const live = await selectRows(flows.db, "sessions", { userId: person.id, endedAt: null }, { columns: ["id"] });
  assert.is(live.length, 1);
});

test("ends the browser's earlier session, and not those of other browsers", async ({ flows }) => {
  const { person, factor, logIn, finish } = await createPerson(flows, "jo");
  const own = `wheelwright=${(await createTestSession(flows.db, person)).secret}`;
  const other = `wheelwright=${(await createTestSession(flows.db, person)).secret}`;
  const pending = cookieOf(await logIn({}, { cookie: own }));
  assert.ok(await isSignedIn(flows, own));
  assert.is((await finish(`${pending}; ${own}`, { code: await factor.code() })).status, 200);
  assert.equal([await isSignedIn(flows, own), await isSignedIn(flows, other)], [false, true]);
});

test("refuses other sites, tokens and a request without a code", async ({ flows }) => {
  const { factor, logIn, finish } = await createPerson(flows, "kim"), pending = cookieOf(await logIn());
  const code = await factor.code();
  assert.is((await finish(pending, { code }, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.is((await finish(pending, { code }, { authorization: "Bearer ww_cli_x" })).status, 401);
  assert.is((await finish(pending, {})).body.code, "factor_needed");
  assert.is((await finish(pending, { code: "12 34 5" })).status, 400);
  assert.is((await finish(pending, { code })).status, 200);
});

test.run();
