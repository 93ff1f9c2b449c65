import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClientResponse } from "#test/support/client.ts";
import { createTestPasskey, type TestPasskey } from "#test/support/authenticator.ts";
import { createTestFactor } from "#test/support/factors.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { ageSession, createTestSession, createTestUser, PASSWORD } from "#test/support/users.ts";

const PATH = "/api/auth/passkey-login", OPTIONS = "/api/auth/passkey-options", FACTORS = "/api/auth/factors";

const test = suite<{ flows: MailLinkFlows }>("passkeys");

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());

let addresses = 0;
const cookieOf = ({ headers }: ClientResponse) => headers.get("set-cookie")!.split(";")[0]!;

async function createPerson(flows: MailLinkFlows, name: string, passkey = createTestPasskey()) {
  const person = await createTestUser(flows.db, name), session = await createTestSession(flows.db, person);
  const cookie = `wheelwright=${session.secret}`;
  const post = (path: string, body: unknown, own = cookie) =>
    flows.post(path, body, { cookie: own }, `198.51.${100 + (++addresses >> 8)}.${addresses & 255}`);
  const begin = async (purpose: string, own = "") => {
    const answer = await post(OPTIONS, { for: purpose }, own);
    return { challenge: answer.body.challenge as string, cookie: cookieOf(answer), body: answer.body };
  };
  return { person, session, cookie, passkey, post, begin };
}

type Person = Awaited<ReturnType<typeof createPerson>>;

async function register({ post, passkey }: Person, forgery = {}, of: TestPasskey = passkey) {
  const { body: { id, options } } = await post(FACTORS, { kind: "passkey", name: "Laptop" });
  return {
    options,
    id,
    ...await post(`${FACTORS}/${id}/activate`, { passkey: of.register(options.challenge, forgery) }),
  };
}

for (const algorithm of ["ES256", "EdDSA", "RS256"] as const) {
  test(`sign in without a password with ${algorithm}`, async ({ flows }) => {
    const ada = await createPerson(flows, `ada-${algorithm.toLowerCase()}`, createTestPasskey(algorithm));
    const added = await register(ada);
    assert.equal([added.status, added.body.factor.kind, added.body.recoveryCodes.length], [200, "passkey", 10]);
    const { challenge, cookie, body } = await ada.begin("sign-in");
    assert.equal([body.rpId, body.userVerification, body.allowCredentials], ["localhost", "required", []]);
    const done = await ada.post(PATH, { passkey: ada.passkey.use(challenge) }, cookie);
    assert.equal([done.status, done.body.user.id], [200, ada.person.id]);
    assert.is((await flows.send("/api/auth/me", { headers: { cookie: cookieOf(done) } })).status, 200);
    const [session] = await selectRows(flows.db, "sessions", { userId: ada.person.id, method: "passkey" });
    assert.ok(session);
  });
}

test("are refused with wrong values, which are recorded", async ({ flows }) => {
  const bob = await createPerson(flows, "bob"), other = createTestPasskey();
  await register(bob);
  const forgeries = {
    "another origin": { origin: "https://evil.example" },
    "another host": { rpId: "evil.example" },
    "another operation": { type: "webauthn.create" },
    "a frame": { crossOrigin: true },
    "no verification": { isUserVerified: false },
    "no presence": { isUserPresent: false },
    "another key": { key: other.privateKey },
    "an old counter": { count: 1 },
  };
  for (const [name, forgery] of Object.entries(forgeries)) {
    const { challenge, cookie } = await bob.begin("sign-in");
    const refused = await bob.post(PATH, { passkey: bob.passkey.use(challenge, forgery) }, cookie);
    assert.equal([refused.status, refused.body.code], [401, "passkey_refused"], name);
  }
  const events = await selectRows(flows.db, "audit_events", { kind: "second_factor_failed", objectId: bob.person.id });
  assert.is(events.length, Object.keys(forgeries).length);
  assert.ok(events.some(({ metadata }) => /a copy of the passkey may exist/.test(JSON.stringify(metadata))));
  const { challenge, cookie } = await bob.begin("sign-in");
  assert.is((await bob.post(PATH, { passkey: bob.passkey.use(challenge, { count: 99 }) }, cookie)).status, 200);
});

test("use a challenge once, within 5 minutes, in the browser that requested it, and for its purpose", async ({ flows }) => {
  const cid = await createPerson(flows, "cid");
  await register(cid);
  const first = await cid.begin("sign-in"), response = cid.passkey.use(first.challenge);
  assert.is((await cid.post(PATH, { passkey: response }, first.cookie)).status, 200);
  assert.is((await cid.post(PATH, { passkey: response }, first.cookie)).status, 401); // replayed
  const mine = await cid.begin("sign-in"), thiefs = await cid.begin("sign-in");
  assert.is((await cid.post(PATH, { passkey: cid.passkey.use(mine.challenge) }, thiefs.cookie)).status, 401);
  assert.is((await cid.post(PATH, { passkey: cid.passkey.use(mine.challenge) }, "")).status, 401);
  const late = await cid.begin("sign-in");
  await flows.db.sql("update passkey_challenges set created_at = created_at - interval '5 minutes'");
  assert.is((await cid.post(PATH, { passkey: cid.passkey.use(late.challenge) }, late.cookie)).status, 401);
  const { challenge } = await cid.begin("confirm", cid.cookie), fresh = await cid.begin("sign-in");
  assert.is((await cid.post(PATH, { passkey: cid.passkey.use(challenge) }, fresh.cookie)).status, 401);
  const made = cid.passkey.use(Buffer.from("made up by the attacker, 32 bytes").toString("base64url"));
  assert.is((await cid.post(PATH, { passkey: made }, fresh.cookie)).status, 401);
});

test("are a second factor of a sign-in, only the user's own", async ({ flows }) => {
  const dan = await createPerson(flows, "dan"), eve = await createPerson(flows, "eve");
  await register(dan);
  await register(eve);
  const pending = cookieOf(await dan.post("/api/auth/login", { email: dan.person.email, password: PASSWORD }, ""));
  const step = async () => await dan.begin("second-factor", pending);
  const { challenge, body } = await step();
  assert.equal(body.allowCredentials.map(({ id }: { id: string }) => id), [dan.passkey.id]);
  const foreign = await dan.post("/api/auth/second-factor", { passkey: eve.passkey.use(challenge) }, pending);
  assert.is(foreign.body.code, "wrong_code");
  const next = await step();
  const done = await dan.post("/api/auth/second-factor", { passkey: dan.passkey.use(next.challenge) }, pending);
  assert.equal([done.status, done.body.user.id], [200, dan.person.id]);
});

test("confirm the own session, and neither another session nor another user's", async ({ flows }) => {
  const fay = await createPerson(flows, "fay"), gus = await createPerson(flows, "gus");
  await register(fay);
  await ageSession(flows.db, fay.session);
  const { challenge } = await fay.begin("confirm", fay.cookie);
  const other = `wheelwright=${(await createTestSession(flows.db, fay.person)).secret}`;
  const confirm = (own: string, text: string) => fay.post("/api/auth/confirm", { passkey: fay.passkey.use(text) }, own);
  assert.is((await confirm(other, challenge)).body.code, "wrong_factor");
  assert.is((await confirm(fay.cookie, (await fay.begin("confirm", gus.cookie)).challenge)).body.code, "wrong_factor");
  assert.is((await confirm(fay.cookie, (await fay.begin("confirm", fay.cookie)).challenge)).status, 200);
  assert.is((await fay.begin("confirm", fay.cookie)).body.allowCredentials.length, 1);
});

test("are registered only with the own challenge, origin and host, once", async ({ flows }) => {
  const hal = await createPerson(flows, "hal"), ida = await createPerson(flows, "ida");
  for (const forgery of [{ origin: "https://evil.example" }, { rpId: "evil.example" }, { type: "webauthn.get" }]) {
    assert.is((await register(hal, forgery)).body.code, "wrong_factor");
  }
  assert.is((await register(hal)).status, 200);
  assert.is((await register(ida, {}, hal.passkey)).body.code, "wrong_factor"); // registered for hal
  const { body: { id } } = await ida.post(FACTORS, { kind: "passkey", name: "x" });
  const { options } = await register(hal, {}, createTestPasskey());
  const crossed = await ida.post(`${FACTORS}/${id}/activate`, { passkey: ida.passkey.register(options.challenge) });
  assert.is(crossed.body.code, "wrong_factor");
  assert.equal(options.excludeCredentials.map(({ id: known }: { id: string }) => known), [hal.passkey.id]);
});

test("sign nobody in who is disabled, or whose passkey was removed or never activated", async ({ flows }) => {
  const jo = await createPerson(flows, "jo"), kim = await createPerson(flows, "kim");
  const { id } = await register(jo);
  await register(kim);
  const attempt = async (who: Person) => {
    const { challenge, cookie } = await who.begin("sign-in");
    return (await who.post(PATH, { passkey: who.passkey.use(challenge) }, cookie)).status;
  };
  assert.is(await attempt(jo), 200);
  await updateRows(flows.db, "factors", { activatedAt: null }, { id });
  assert.is(await attempt(jo), 401);
  await updateRows(flows.db, "users", { disabledAt: await flows.db.now() }, { id: kim.person.id });
  assert.is(await attempt(kim), 401);
});

test("need no SECRETS_KEY, unlike apps", async () => {
  const flows = await openMailLinkFlows({ SECRETS_KEY: "" });
  assert.is((await register(await createPerson(flows, "lea"))).status, 200);
  await flows.close();
});

test("do not replace an app: both stay usable", async ({ flows }) => {
  const may = await createPerson(flows, "may"), app = await createTestFactor(flows.app, may.person);
  assert.is((await register(may)).body.recoveryCodes, null);
  const login = { email: may.person.email, password: PASSWORD, code: await app.code() };
  assert.is((await may.post("/api/auth/login", login, "")).status, 200);
});

test.run();
