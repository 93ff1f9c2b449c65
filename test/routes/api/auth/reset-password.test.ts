import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { resetPasswordByLink } from "#lib/domains/auth/forgot-password.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { PasswordHasher } from "#lib/drivers/crypto/password.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { openHubFeeds } from "#lib/events/feed.ts";
import { decideEventVisibility } from "#lib/domains/federations/follow.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { addHubAdmin, createTestSession, createTestToken, createTestUser, PASSWORD } from "#test/support/users.ts";
import { rejection, until } from "#test/support/until.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const PATH = "/api/auth/reset-password";
const NEW = "a wholly new password";
const ORIGIN = { ip: "192.0.2.9", userAgent: "Firefox" };

const test = suite<{ flows: MailLinkFlows }>("POST /api/auth/reset-password");

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());
test.before.each(({ flows }) => flows.db.shiftClock(0));

test("sets the password once, ends all sessions, and keeps tokens on request", async ({ flows }) => {
  const ada = await createTestUser(flows.db, "ada");
  const sessions = [await createTestSession(flows.db, ada), await createTestSession(flows.db, ada)];
  const { plaintext } = await createTestToken(flows.db, ada, "cli");
  const token = await flows.link("password_reset", ada);
  assert.is((await flows.post(PATH, { token, password: NEW, keepTokens: true })).status, 200);
  assert.ok(await flows.opens(ada.email, NEW));
  assert.not(await flows.opens(ada.email, PASSWORD));
  for (const { secret } of sessions) {
    const headers = { cookie: `wheelwright=${secret}` };
    assert.is((await flows.send("/api/auth/me", { headers })).status, 401);
  }
  const me = await flows.send("/api/auth/me", { headers: { authorization: `Bearer ${plaintext}` } });
  assert.is(me.status, 200);
  assert.is((await flows.post(PATH, { token, password: "yet another one" })).status, 422);
  assert.ok(await flows.opens(ada.email, NEW));
  const events = (await listAuditEvents(flows.db.rows, { objectId: ada.id }, { limit: 9 })).items;
  assert.equal(events.map(({ kind, actor, ip }) => [kind, actor.id, ip]), [["password_reset", ada.id, "192.0.2.1"]]);
});

test("revokes and records tokens unless they are kept", async ({ flows }) => {
  for (const [name, more] of Object.entries({ old: {}, none: { keepTokens: null }, no: { keepTokens: false } })) {
    const person = await createTestUser(flows.db, name),
      { id, plaintext } = await createTestToken(flows.db, person, "cli");
    const token = await flows.link("password_reset", person);
    assert.is((await flows.post(PATH, { token, password: NEW, ...more })).status, 200);
    const me = await flows.send("/api/auth/me", { headers: { authorization: `Bearer ${plaintext}` } });
    assert.is(me.status, 401, name);
    const events = (await listAuditEvents(flows.db.rows, { kind: "token_revoked", objectId: id }, { limit: 9 })).items;
    assert.equal(events.map(({ actor }) => actor.id), [person.id]);
  }
});

test("revokes tokens of an unverified address in any case", async ({ flows }) => {
  const una = await createTestUser(flows.db, "una", { verified: false });
  const { plaintext } = await createTestToken(flows.db, una, "cli"), token = await flows.link("password_reset", una);
  assert.is((await flows.post(PATH, { token, password: NEW, keepTokens: true })).status, 200);
  const me = await flows.send("/api/auth/me", { headers: { authorization: `Bearer ${plaintext}` } });
  assert.is(me.status, 401);
});

test("accepts one of a hundred simultaneous requests with one link", async ({ flows }) => {
  const bob = await createTestUser(flows.db, "bob");
  const token = await flows.link("password_reset", bob);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => flows.post(PATH, { token, password: `${NEW} ${i}` })),
  );
  const right = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
  assert.is(right.length, 1);
  // A busy machine may answer 503 to some.
  assert.equal(answers.filter(({ status }) => ![200, 422, 503].includes(status)).map(({ body }) => body), []);
  assert.ok(await flows.opens(bob.email, `${NEW} ${right[0]}`));
  assert.is(
    (await listAuditEvents(flows.db.rows, { kind: "password_reset", objectId: bob.id }, { limit: 9 })).items.length,
    1,
  );
});

test("accepts a link for an hour", async ({ flows }) => {
  const eve = await createTestUser(flows.db, "eve");
  const [late, early] = [await flows.link("password_reset", eve), await flows.link("password_reset", eve)];
  await flows.db.shiftClock(60 * MINUTE + 1);
  assert.is((await flows.post(PATH, { token: late, password: NEW })).status, 422);
  await flows.db.shiftClock(59 * MINUTE);
  assert.is((await flows.post(PATH, { token: early, password: NEW })).status, 200);
});

test("closes all other open links", async ({ flows }) => {
  const dan = await createTestUser(flows.db, "dan", { verified: false });
  const others = [
    ["reset-password", await flows.link("password_reset", dan)],
    ["accept-invite", await flows.link("invitation", dan)],
    ["verify-email", await flows.link("email_verification", dan)],
  ];
  const token = await flows.link("password_reset", dan);
  assert.is((await flows.post(PATH, { token, password: NEW })).status, 200);
  for (const [path, other] of others) {
    const refused = await flows.post(`/api/auth/${path}`, { token: other, password: "not this one either" });
    assert.is(refused.status, 422, path);
  }
  assert.ok(await flows.opens(dan.email, NEW));
});

test("verifies the address, and ends the access of a user who signed up with it", async ({ flows }) => {
  const owner = await createTestUser(flows.db, "owner", { verified: false });
  const { plaintext } = await createTestToken(flows.db, owner, "cli");
  const token = await flows.link("password_reset", owner);
  assert.is((await flows.post(PATH, { token, password: NEW })).status, 200);
  const me = await flows.send("/api/auth/me", { headers: { authorization: `Bearer ${plaintext}` } });
  assert.is(me.status, 401);
  const events = (await listAuditEvents(flows.db.rows, { actorId: owner.id }, { limit: 9 })).items;
  assert.equal(events.map(({ kind }) => kind).sort(), ["email_verified", "password_reset", "token_revoked"]);
});

test("emails the owner if there was a password before", async ({ flows }) => {
  const fay = await createTestUser(flows.db, "fay"),
    gus = await createTestUser(flows.db, "gus", { passwordHash: null });
  for (const person of [fay, gus]) {
    await flows.post(PATH, { token: await flows.link("password_reset", person), password: NEW });
  }
  const mail = await flows.postman.next(fay.email);
  assert.match(mail.text, "192.0.2.1");
  assert.is(mail.token, null);
  assert.not(flows.postman.mails.some(({ to }) => to.email === gus.email));
});

test("does nothing if the user is disabled while the password is hashed", async ({ flows }) => {
  const hal = await createTestUser(flows.db, "hal");
  const token = await flows.link("password_reset", hal);
  const passwords: PasswordHasher = {
    ...flows.app.passwords,
    async hash(...asked) {
      await updateRows(flows.db, "users", { disabledAt: NOW }, { id: hal.id });
      return await flows.app.passwords.hash(...asked);
    },
  };
  const fault = await rejection(resetPasswordByLink({ ...flows.app, passwords }, ORIGIN, { token, password: NEW }));
  assert.is(fault.code, "link_spent");
  assert.ok(await flows.opens(hal.email, PASSWORD));
});

test("stores neither the password nor the link's secret", async ({ flows }) => {
  const ian = await createTestUser(flows.db, "ian");
  const token = await flows.link("password_reset", ian), password = "never to be written down";
  await flows.post(PATH, { token, password });
  for (const table of ["users", "one_time_tokens", "audit_events", "jobs"]) {
    const rows = JSON.stringify(await flows.db.sql(`select ${table}::text as row from ${table}`));
    assert.not.match(rows, password);
    assert.not.match(rows, token);
  }
});

test("ends event streams of sessions on other replicas, but none of a kept token", async ({ flows }) => {
  const { scene, db } = flows;
  const kim = await createTestUser(db, "kim");
  await addHubAdmin(db, kim, scene.hub);
  const otherDb = await db.openAgain(),
    feeds = openHubFeeds(otherDb, SILENT_LOG, { readVisibility: decideEventVisibility, maxStreams: 9 });
  const other = openServer({ ...flows.app, db: otherDb, feeds }, manifest, { isSchedulerReady: () => true });
  const follow = async (headers: Record<string, string>) => {
    const request = new Request(`http://localhost:3000/api/federations/${scene.hub}/events`, { headers });
    return (await other.request(request)).body!.pipeThrough(new TextDecoderStream()).getReader();
  };
  const bySession = await follow({ cookie: `wheelwright=${(await createTestSession(db, kim)).secret}` });
  const byToken = await follow({ authorization: `Bearer ${(await createTestToken(db, kim, "readonly")).plaintext}` });
  for (const stream of [bySession, byToken]) assert.match((await stream.read()).value!, "following");

  const token = await flows.link("password_reset", kim);
  assert.is((await flows.post(PATH, { token, password: NEW, keepTokens: true })).status, 200);
  let over = false;
  void (async () => {
    while (!(await bySession.read()).done);
    over = true;
  })();
  await until(() => over);
  await db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId: scene.hub, state: "failed" }] })
  );
  let received = "";
  while (!received.includes("FederationUpdateFailed")) received += (await byToken.read()).value ?? "";
  await byToken.cancel();
  feeds.close();
});

test.run();
