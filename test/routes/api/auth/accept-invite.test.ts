import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import {
  addHubAdmin,
  addSpokeAdmin,
  createTestSession,
  createTestToken,
  createTestUser,
  PASSWORD,
} from "#test/support/users.ts";
import { selectRows } from "#test/support/rows.ts";

const PATH = "/api/auth/accept-invite";
const NEW = "a wholly new password";

const test = suite<{ flows: MailLinkFlows }>("POST /api/auth/accept-invite");

test.before(async (context) => {
  context.flows = await openMailLinkFlows();
});
test.after(({ flows }) => flows.close());
test.before.each(({ flows }) => flows.db.shiftClock(0));

const invited = (flows: MailLinkFlows, name: string) =>
  createTestUser(flows.db, name, { verified: false, passwordHash: null });

test("accepts a delegation by the emailed link, and starts a session", async ({ flows }) => {
  const { scene } = flows;
  const delegated = await scene.as("hubAdmin").post(`/api/spokes/${scene.spoke}/delegate`, {
    email: "ada@example.org",
    displayName: "Ada",
  });
  assert.is(delegated.status, 200);
  const { token, link } = await flows.postman.next("ada@example.org");
  assert.match(link!, "http://localhost:3000/invite?token=");
  const accepted = await flows.post(PATH, { token, password: NEW, displayName: "Ada Lovelace" });
  assert.is(accepted.status, 200);
  assert.equal(accepted.body.user, {
    id: delegated.body.userId,
    email: "ada@example.org",
    role: "spoke_admin",
    federationIds: [],
    displayName: "Ada Lovelace",
    spokeIds: [scene.spoke],
  });
  const cookie = accepted.headers.get("set-cookie")!.split(";")[0]!;
  assert.equal((await flows.send("/api/auth/me", { headers: { cookie } })).body, accepted.body);
  const events = (await listAuditEvents(flows.db.rows, { actorId: delegated.body.userId }, { limit: 9 })).items;
  assert.equal(events.map(({ kind }) => kind), ["auth_login", "invitation_accepted"]);
});

test("keeps the inviter's display name if none is given", async ({ flows }) => {
  const bob = await invited(flows, "bob");
  const accepted = await flows.post(PATH, {
    token: await flows.link("invitation", bob),
    password: NEW,
    displayName: null,
  });
  assert.is(accepted.body.user.displayName, "bob");
});

test("removes the access of a user who signed up with the address before", async ({ flows }) => {
  const { scene, db } = flows;
  const stranger = await createTestUser(db, "taken", { verified: false });
  const [session, minted] = [await createTestSession(db, stranger), await createTestToken(db, stranger, "cli")];
  await addHubAdmin(db, stranger, scene.hub);
  await addSpokeAdmin(db, stranger, scene.spoke);
  const credentials = [{ cookie: `wheelwright=${session.secret}` }, { authorization: `Bearer ${minted.plaintext}` }];
  for (const headers of credentials) {
    const me = await flows.send("/api/auth/me", { headers });
    assert.equal(
      [me.status, me.body.user.federationIds, me.body.user.spokeIds],
      [200, [], []],
      "before the address is verified",
    );
  }
  const accepted = await flows.post(PATH, { token: await flows.link("invitation", stranger), password: NEW });
  assert.equal(accepted.body.user.federationIds, [scene.hub]);
  for (const headers of credentials) assert.is((await flows.send("/api/auth/me", { headers })).status, 401);
  assert.not(await flows.opens(stranger.email, PASSWORD));
  const [revoked] =
    (await listAuditEvents(db.rows, { kind: "token_revoked", objectId: minted.id }, { limit: 9 })).items;
  assert.is(revoked?.metadata.prefix, minted.prefix);
});

test("accepts a link for seven days", async ({ flows }) => {
  const eve = await invited(flows, "eve");
  const [late, early] = [await flows.link("invitation", eve), await flows.link("invitation", eve)];
  await flows.db.shiftClock(7 * DAY + 1);
  assert.is((await flows.post(PATH, { token: late, password: NEW })).status, 422);
  await flows.db.shiftClock(7 * DAY - MINUTE);
  assert.is((await flows.post(PATH, { token: early, password: NEW })).status, 200);
});

test("accepts one of many simultaneous requests, and starts one session", async ({ flows }) => {
  const fay = await invited(flows, "fay");
  const token = await flows.link("invitation", fay);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => flows.post(PATH, { token, password: `${NEW} ${i}` })),
  );
  assert.is(answers.filter(({ status }) => status === 200).length, 1);
  assert.is(answers.filter(({ headers }) => headers.has("set-cookie")).length, 1);
  const sessions = await selectRows(flows.db, "sessions", { userId: fay.id, endedAt: null }, { columns: ["id"] });
  assert.is(sessions.length, 1);
});

test("closes a pending password reset", async ({ flows }) => {
  const gus = await invited(flows, "gus");
  const [token, reset] = [await flows.link("invitation", gus), await flows.link("password_reset", gus)];
  assert.is((await flows.post(PATH, { token, password: NEW })).status, 200);
  assert.is(
    (await flows.post("/api/auth/reset-password", { token: reset, password: "another one again" })).status,
    422,
  );
});

test("answers 400 for an invalid name, and keeps the link valid", async ({ flows }) => {
  const hal = await invited(flows, "hal");
  const token = await flows.link("invitation", hal);
  for (const displayName of ["", "x".repeat(201), "\u0007", "\ud800", 5]) {
    assert.is((await flows.post(PATH, { token, password: NEW, displayName })).status, 400);
  }
  const displayName = `<script>alert("x")</script> ${"🐢".repeat(100)}`;
  assert.is((await flows.post(PATH, { token, password: NEW, displayName })).body.user.displayName, displayName);
});

test.run();
