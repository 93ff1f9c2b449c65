import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { addHubAdmin, createTestSession, createTestToken, createTestUser, PASSWORD } from "#test/support/users.ts";

const PATH = "/api/auth/verify-email";
const NEW = "a wholly new password";

const test = suite<{ flows: MailLinkFlows }>("POST /api/auth/verify-email");

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());
test.before.each(({ flows }) => flows.db.shiftClock(0));

const signedUp = (flows: MailLinkFlows, name: string) => createTestUser(flows.db, name, { verified: false });

test("activates memberships and the operator role", async ({ flows }) => {
  const { scene, db } = flows;
  const ada = await createTestUser(db, "ada", { verified: false, operator: true });
  await addHubAdmin(db, ada, scene.hub);
  const cookie = `wheelwright=${(await createTestSession(db, ada)).secret}`;
  const me = await flows.send("/api/auth/me", { headers: { cookie } });
  assert.equal([me.body.user.role, me.body.user.federationIds], ["spoke_admin", []]);
  assert.is((await flows.send(`/api/federations/${scene.hub}`, { headers: { cookie } })).status, 404);
  const verified = await flows.post(PATH, { token: await flows.link("email_verification", ada), password: NEW });
  assert.equal([verified.status, verified.body.user.role, verified.body.user.federationIds], [
    200,
    "operator",
    [scene.hub],
  ]);
  const [event] = (await listAuditEvents(db.rows, { kind: "email_verified", objectId: ada.id }, { limit: 9 })).items;
  assert.equal([event?.actor.id, event?.metadata], [ada.id, { passwordSet: true }]);
});

test("removes password, sessions and tokens of a user who signed up before", async ({ flows }) => {
  const owner = await signedUp(flows, "owner");
  const credentials = [
    { cookie: `wheelwright=${(await createTestSession(flows.db, owner)).secret}` },
    { authorization: `Bearer ${(await createTestToken(flows.db, owner, "cli")).plaintext}` },
  ];
  for (const headers of credentials) assert.is((await flows.send("/api/auth/me", { headers })).status, 200);
  await flows.post(PATH, { token: await flows.link("email_verification", owner), password: NEW });
  for (const headers of credentials) assert.is((await flows.send("/api/auth/me", { headers })).status, 401);
  assert.ok(await flows.opens(owner.email, NEW));
  assert.not(await flows.opens(owner.email, PASSWORD));
});

test("keeps the password of the sign-up if none is given and the user has no memberships", async ({ flows }) => {
  for (const more of [{}, { password: null }]) {
    const bob = await signedUp(flows, `bob${Object.keys(more).length}`);
    const verified = await flows.post(PATH, { token: await flows.link("email_verification", bob), ...more });
    assert.is(verified.status, 200);
    assert.ok(await flows.opens(bob.email, PASSWORD));
  }
});

test("keeps an account with memberships without a password if none is chosen", async ({ flows }) => {
  const gus = await signedUp(flows, "gus"),
    hal = await createTestUser(flows.db, "hal", { verified: false, operator: true });
  await addHubAdmin(flows.db, gus, flows.scene.hub);
  for (const { email, id } of [gus, hal]) {
    const token = await flows.link("email_verification", { email, id });
    assert.is((await flows.post(PATH, { token })).status, 200);
    assert.not(await flows.opens(email, PASSWORD));
  }
  await flows.post("/api/auth/forgot-password", { email: gus.email });
  await flows.work();
  const { token } = await flows.postman.next(gus.email);
  assert.is((await flows.post("/api/auth/reset-password", { token, password: NEW })).status, 200);
  assert.ok(await flows.opens(gus.email, NEW));
});

test("accepts the password of the signup too", async ({ flows }) => {
  const eve = await signedUp(flows, "eve");
  await flows.post(PATH, { token: await flows.link("email_verification", eve), password: PASSWORD });
  assert.ok(await flows.opens(eve.email, PASSWORD));
});

test("accepts a link for a day", async ({ flows }) => {
  const dan = await signedUp(flows, "dan");
  const [late, early] = [await flows.link("email_verification", dan), await flows.link("email_verification", dan)];
  await flows.db.shiftClock(24 * HOUR + 1);
  assert.is((await flows.post(PATH, { token: late, password: NEW })).status, 422);
  await flows.db.shiftClock(24 * HOUR - MINUTE);
  assert.is((await flows.post(PATH, { token: early, password: NEW })).status, 200);
});

test("changes nothing for a verified address", async ({ flows }) => {
  const fay = await createTestUser(flows.db, "fay");
  const token = await flows.link("email_verification", fay);
  assert.is((await flows.post(PATH, { token })).status, 422);
  assert.ok(await flows.opens(fay.email, PASSWORD));
});

test.run();
