import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTotpCode } from "#lib/domains/auth/factors/totp.ts";
import { createTestFactor, createWrongCode } from "#test/support/factors.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { selectRows } from "#test/support/rows.ts";
import { ageSession, createTestSession, createTestToken, createTestUser, PASSWORD } from "#test/support/users.ts";

const PATH = "/api/auth/factors";
const NEW = { kind: "totp", name: "Phone" };

const test = suite<{ flows: MailLinkFlows }>(PATH);

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());

let addresses = 0;
async function createPerson(flows: MailLinkFlows, name: string, state = {}) {
  const person = await createTestUser(flows.db, name, state), session = await createTestSession(flows.db, person);
  const cookie = `wheelwright=${session.secret}`, address = `198.51.100.${++addresses}`;
  const send = async (method: string, path: string, body?: unknown) =>
    await flows.send(path, {
      method,
      headers: { cookie, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }, address);
  return { person, session, cookie, send };
}

async function enrol(flows: MailLinkFlows, { send }: Awaited<ReturnType<typeof createPerson>>, name = "Phone") {
  const { body: created } = await send("POST", PATH, { ...NEW, name });
  const code = createTotpCode(created.secret, await flows.db.now());
  return await send("POST", `${PATH}/${created.id}/activate`, { code });
}

test("adds an app that counts only after its first code", async ({ flows }) => {
  const ada = await createPerson(flows, "ada"), { send, person } = ada;
  const created = await send("POST", PATH, NEW);
  assert.is(created.status, 201);
  assert.match(created.body.uri, /^otpauth:\/\/totp\//);
  assert.equal((await send("GET", PATH)).body, { factors: [], recoveryCodes: 0, required: false });
  const logIn = () => flows.post("/api/auth/login", { email: person.email, password: PASSWORD }, {}, "192.0.2.77");
  assert.is((await logIn()).status, 200); // without a second factor so far
  const now = await flows.db.now(), wrong = createTotpCode(created.body.secret, new Date(now.getTime() + 3_600_000));
  const refused = await send("POST", `${PATH}/${created.body.id}/activate`, { code: wrong });
  assert.equal([refused.status, refused.body.code], [403, "wrong_factor"]);
  const code = createTotpCode(created.body.secret, await flows.db.now());
  const active = await send("POST", `${PATH}/${created.body.id}/activate`, { code });
  assert.equal([active.status, active.body.factor.name, active.body.recoveryCodes.length], [200, "Phone", 10]);
  assert.is((await logIn()).body.code, "second_factor_required");
  const mail = await flows.postman.next(person.email);
  assert.match(mail.text, "A second factor was added to your account: Phone");
  const [row] = await selectRows(flows.db, "factors", { userId: person.id });
  assert.not(row.totpSecret!.includes(created.body.secret)); // encrypted
});

test("ends the other sessions with the first factor", async ({ flows }) => {
  const bob = await createPerson(flows, "bob"), other = await createTestSession(flows.db, bob.person);
  await enrol(flows, bob);
  const me = (cookie: string) => flows.send("/api/auth/me", { headers: { cookie } });
  assert.is((await me(`wheelwright=${other.secret}`)).status, 401);
  assert.is((await me(bob.cookie)).status, 200);
  assert.is((await enrol(flows, bob, "Tablet")).body.recoveryCodes, null);
});

test("lets a stolen session neither add, activate nor remove a factor, nor renew codes", async ({ flows }) => {
  const cid = await createPerson(flows, "cid"), factor = await createTestFactor(flows.app, cid.person);
  const { body: created } = await cid.send("POST", PATH, NEW);
  await ageSession(flows.db, cid.session);
  const attempts: [string, string, unknown?][] = [
    ["POST", PATH, NEW],
    ["POST", `${PATH}/${created.id}/activate`, { code: createTotpCode(created.secret, await flows.db.now()) }],
    ["DELETE", `${PATH}/${factor.id}`],
    ["POST", "/api/auth/recovery-codes"],
  ];
  for (const [method, path, body] of attempts) {
    assert.is((await cid.send(method, path, body)).body.code, "recent_sign_in_required", path);
  }
  // The password alone confirms nothing, because the thief may know it.
  assert.is((await cid.send("POST", "/api/auth/confirm", { password: PASSWORD })).body.code, "factor_needed");
  const { body: { factors } } = await cid.send("GET", PATH);
  assert.equal(factors.map(({ id }: { id: string }) => id), [factor.id]);
  assert.is((await cid.send("POST", "/api/auth/confirm", { code: await factor.code() })).status, 200);
  assert.is((await cid.send("DELETE", `${PATH}/${factor.id}`)).status, 204);
});

test("ends a stolen session that guesses codes, and leaves the owner's session alone", async ({ flows }) => {
  const dan = await createPerson(flows, "dan"), factor = await createTestFactor(flows.app, dan.person);
  const owner = await createTestSession(flows.db, dan.person), wrong = await createWrongCode(factor);
  for (let i = 0; i < 5; i++) await dan.send("POST", "/api/auth/confirm", { code: wrong });
  assert.is((await dan.send("GET", PATH)).status, 401);
  const headers = { cookie: `wheelwright=${owner.secret}` };
  assert.is((await flows.send("/api/auth/me", { headers })).status, 200);
});

test("makes a session no more recent by a new password or the onboarding", async ({ flows }) => {
  const eve = await createPerson(flows, "eve");
  await createTestFactor(flows.app, eve.person);
  await ageSession(flows.db, eve.session);
  const change = await eve.send("POST", "/api/auth/password", { current: PASSWORD, password: "a wholly new password" });
  const cookie = change.headers.get("set-cookie")!.split(";")[0]!;
  assert.is((await flows.post(PATH, NEW, { cookie })).body.code, "recent_sign_in_required");
  const onboarded = await flows.post("/api/onboarding/complete", {}, { cookie });
  const next = onboarded.headers.get("set-cookie")!.split(";")[0]!;
  assert.is((await flows.post(PATH, NEW, { cookie: next })).body.code, "recent_sign_in_required");
});

test("changes only own factors, and refuses tokens and unverified users", async ({ flows }) => {
  const fay = await createPerson(flows, "fay"), gus = await createPerson(flows, "gus", { verified: false });
  const { id } = await createTestFactor(flows.app, fay.person);
  const hal = await createPerson(flows, "hal");
  assert.is((await hal.send("DELETE", `${PATH}/${id}`)).status, 404);
  assert.is((await hal.send("PATCH", `${PATH}/${id}`, { name: "Mine" })).status, 404);
  assert.is((await hal.send("POST", `${PATH}/${id}/activate`, { code: "123456" })).status, 404);
  assert.is((await gus.send("POST", PATH, NEW)).body.code, "unverified");
  const { plaintext } = await createTestToken(flows.db, fay.person, "cli");
  const authorization = `Bearer ${plaintext}`;
  assert.is((await flows.post(PATH, NEW, { authorization })).status, 401);
  assert.is((await flows.send(PATH, { headers: { authorization } })).body.factors.length, 1);
  assert.is((await fay.send("PATCH", `${PATH}/${id}`, { name: "Old phone" })).body.name, "Old phone");
});

test("renews recovery codes: the earlier ones stop working", async ({ flows }) => {
  const ida = await createPerson(flows, "ida"), factor = await createTestFactor(flows.app, ida.person);
  const { body } = await ida.send("POST", "/api/auth/recovery-codes");
  assert.is(body.recoveryCodes.length, 10);
  const logIn = (recoveryCode: string) =>
    flows.post("/api/auth/login", { email: ida.person.email, password: PASSWORD, recoveryCode });
  assert.is((await logIn(factor.recoveryCodes[0]!)).body.code, "wrong_code");
  assert.is((await logIn(body.recoveryCodes[0])).status, 200);
});

test("refuses an app without SECRETS_KEY, and names the variable", async () => {
  const flows = await openMailLinkFlows({ SECRETS_KEY: "" });
  const { send } = await createPerson(flows, "jo"), refused = await send("POST", PATH, NEW);
  assert.equal([refused.status, refused.body.code], [409, "secrets_key_missing"]);
  await flows.close();
});

test.run();
