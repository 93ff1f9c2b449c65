import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isId } from "#lib/base/ids.ts";
import { DAY } from "#lib/base/time.ts";
import { createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; path: string }>("POST /api/spokes/{spokeId}/delegate");

test.before(async (context) => {
  context.scene = await openScene();
  context.path = `/api/spokes/${context.scene.spoke}/delegate`;
});
test.after(({ scene }) => scene.close());

test("invites a new address: a user without password, a membership, one email and audit events", async ({ scene, path }) => {
  const before = (await scene.db.now()).getTime();
  const { status, body } = await scene.as("hubAdmin", "cli").post(path, {
    email: " Ada@X.example ",
    displayName: "Ada",
  });
  assert.is(status, 200);
  const { expiresAt, userId, ...rest } = body;
  assert.equal(rest, { status: "invited", email: "ada@x.example", spokeId: scene.spoke });
  assert.ok(isId("usr", userId));
  const left = Date.parse(expiresAt) - before;
  assert.ok(left >= 7 * DAY && left < 8 * DAY, `${left} ms`);
  const [user] = await selectRows(scene.db, "users", { id: userId });
  assert.equal([user.displayName, user.passwordHash, user.emailVerifiedAt], ["Ada", null, null]);
  const [job, ...others] = await mailsTo(scene, "ada@x.example");
  assert.equal(others, []);
  assert.equal(job.letter, {
    template: "invitation",
    to: { email: "ada@x.example", name: "Ada" },
    about: { inviter: "hub-admin", places: ["oak"], expiresAt },
  });
  const [grant] = await selectRows(scene.db, "one_time_tokens", { id: job.grantId });
  assert.equal([grant.purpose, grant.userId, grant.expiresAt.toISOString()], ["invitation", userId, expiresAt]);
  assert.equal(await eventsOf(scene, userId), ["spoke_delegated", "user_created", "user_invited"]);
});

test("records who delegated to whom, visible to the hub and the spoke", async ({ scene, path }) => {
  const { body } = await scene.as("hubAdmin").post(path, { email: "seen@x.example" });
  const { body: activity } = await scene.as("spokeAdmin").get(`/api/spokes/${scene.spoke}/activity`);
  const event = activity.find((each: { kind: string }) => each.kind === "spoke_delegated");
  assert.equal([event.actor.id, event.objectType, event.objectId], [scene.people.hubAdmin.id, "spoke", scene.spoke]);
  assert.equal(event.metadata, { slug: "oak", userId: body.userId, email: "seen@x.example" });
  const [row] = await selectRows(scene.db, "audit_events", { id: event.id }, {
    columns: ["customerVisible", "federationId"],
  });
  assert.equal(row, { customerVisible: true, federationId: scene.hub });
});

test("adds an existing user without an email, and never renames them", async ({ scene, path }) => {
  const bob = await createTestUser(scene.db, "bob");
  const first = await scene.as("hubAdmin").post(path, { email: "BOB@example.org", displayName: "Robert" });
  const added = { userId: bob.id, email: bob.email, spokeId: scene.spoke };
  assert.equal([first.status, first.body], [200, { status: "added", ...added }]);
  const second = await scene.as("operator").post(path, { email: bob.email, displayName: "Rob" });
  assert.equal([second.status, second.body], [200, { status: "unchanged", ...added }]);
  assert.equal(await selectRows(scene.db, "users", { id: bob.id }, { columns: ["displayName"] }), [{
    displayName: "bob",
  }]);
  assert.equal(await mailsTo(scene, bob.email), []);
  assert.equal(await eventsOf(scene, bob.id), ["spoke_delegated"]);
});

test("repeated before acceptance returns the same, without another email or event", async (context) => {
  const { scene, path } = context;
  const ask = () => scene.as("hubAdmin", "cli").post(path, { email: "twice@x.example", displayName: "Two" });
  const first = await ask(), second = await ask();
  assert.equal(second.body, first.body);
  assert.is((await mailsTo(scene, "twice@x.example")).length, 1);
  assert.equal(await eventsOf(scene, first.body.userId), ["spoke_delegated", "user_created", "user_invited"]);
});

test("of a further spoke invites the same user without a second mail, and extends the link", async (context) => {
  const { scene, path } = context;
  const elm = await insertSpoke(scene.db, scene.people.operator.id, scene.hub, "elm");
  const body = { email: "both@x.example", displayName: "Both" };
  const first = await scene.as("hubAdmin").post(path, body);
  await scene.db.sql("update one_time_tokens set expires_at = expires_at - interval '1 minute'");
  const second = await scene.as("hubAdmin").post(`/api/spokes/${elm}/delegate`, { ...body, displayName: "Else" });
  assert.equal([second.body.status, second.body.userId], ["invited", first.body.userId]);
  assert.ok(second.body.expiresAt >= first.body.expiresAt);
  assert.is((await mailsTo(scene, body.email)).length, 1);
  const [row] = await selectRows(scene.db, "users", { id: first.body.userId }, { columns: ["displayName"] });
  assert.is(row.displayName, "Both", "a pending user already has a name");
});

test("gives no access to a user who signed up with the address, and uses the inviter's display name", async (context) => {
  const { scene, path } = context;
  const eve = await createTestUser(scene.db, "eve", { verified: false });
  const { body } = await scene.as("hubAdmin").post(path, { email: eve.email, displayName: "The owner" });
  assert.equal([body.status, body.userId], ["invited", eve.id]);
  const [mail] = await mailsTo(scene, eve.email);
  assert.is(mail.letter.to.name, "The owner");
  const login = await scene.as("nobody").post("/api/auth/login", {
    email: eve.email,
    password: "a password for tests",
  });
  assert.is(login.status, 200, "the password of the sign-up still works");
  assert.equal([login.body.user.spokeIds, login.body.user.federationIds], [[], []]);
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  assert.is((await scene.as("nobody").get(`/api/spokes/${scene.spoke}`, { cookie })).status, 404);
});

test("shows the owner of an address no name that a stranger chose", async ({ scene, path }) => {
  const mal = await createTestUser(scene.db, "mal", { verified: false });
  await scene.as("hubAdmin").post(path, { email: mal.email });
  const [mail] = await mailsTo(scene, mal.email);
  assert.is(mail.letter.to.name, mal.email);
});

test("is 409 for a disabled user", async ({ scene, path }) => {
  for (const verified of [true, false]) {
    const dan = await createTestUser(scene.db, `dan-${verified}`, { disabled: true, verified });
    const refused = await scene.as("hubAdmin").post(path, { email: dan.email });
    assert.is(refused.status, 409);
    assert.match(refused.body.message, /is disabled; an operator must enable the user first/);
    assert.equal(await selectRows(scene.db, "spoke_members", { userId: dan.id }), []);
  }
});

test("is 409 for a spoke that is being removed", async ({ scene }) => {
  const id = await insertSpoke(scene.db, scene.people.operator.id, scene.hub, "going");
  await updateRows(scene.db, "spokes", { state: "removing" }, { id });
  const refused = await scene.as("hubAdmin").post(`/api/spokes/${id}/delegate`, { email: "late@x.example" });
  assert.is(refused.status, 409);
  assert.equal(
    await selectRows(scene.db, "users", { email: "late@x.example" }, { columns: ["id"] }),
    [],
    "no user is created",
  );
});

test("is for hub admins and operators: 403 for the spoke's admin, 404 for users who cannot see it", async (context) => {
  const { scene, path } = context;
  const body = { email: "right@x.example" };
  const own = await scene.as("spokeAdmin").post(path, body);
  assert.equal([own.status, own.body.message], [
    403,
    "Only operators and admins of the hub can manage the admins of a spoke",
  ]);
  assert.is((await scene.as("stranger").post(path, body)).status, 404);
  const south = await insertHub(scene.db, scene.people.operator.id, "south");
  const foreign = await insertSpoke(scene.db, scene.people.operator.id, south, "fir");
  assert.is((await scene.as("hubAdmin").post(`/api/spokes/${foreign}/delegate`, body)).status, 404);
  assert.is((await scene.as("operator", "provisioning").post(path, body)).status, 403);
  assert.equal(await selectRows(scene.db, "users", { email: body.email }, { columns: ["id"] }), []);
});

test("with an Idempotency-Key repeats the response, whatever happened since", async ({ scene, path }) => {
  const ask = (name: string) =>
    scene.as("hubAdmin", "cli").post(path, { email: "keyed@x.example", displayName: name }, { "idempotency-key": "k" });
  const first = await ask("Key");
  await updateRows(scene.db, "users", { emailVerifiedAt: NOW }, { email: "keyed@x.example" });
  assert.equal((await ask("Key")).body, first.body);
  assert.is((await ask("Other")).status, 422);
});

test("is 400 and names an invalid field", async ({ scene, path }) => {
  const cases: [string, unknown][] = [
    ["email", {}],
    ["email", { email: "no address" }],
    ["email", { email: "a@b.example\r\nBcc: c@d.example" }],
    ["displayName", { email: "a@b.example", displayName: "x".repeat(201) }],
    ["displayName", { email: "a@b.example", displayName: "line\r\nBcc: c@d.example" }],
  ];
  for (const [field, body] of cases) {
    const refused = await scene.as("hubAdmin").post(path, body);
    assert.is(refused.status, 400, JSON.stringify(body));
    assert.match(refused.body.message, field);
  }
});

test("does not add hub admins who delegate to themselves", async ({ scene }) => {
  const { db, people: { hubAdmin, operator }, spoke } = scene, path = `/api/spokes/${spoke}/delegate`;
  const seats = async (id: string) => (await selectRows(db, "spoke_members", { userId: id })).length;
  const own = await scene.as("hubAdmin").post(path, { email: hubAdmin.email });
  assert.equal([own.status, own.body.status, await seats(hubAdmin.id)], [200, "unchanged", 0]);
  await scene.as("operator").post(path, { email: operator.email });
  assert.is(await seats(operator.id), 1);
});

test.run();

// deno-lint-ignore no-explicit-any
async function mailsTo({ db }: Scene, email: string): Promise<any[]> {
  const jobs = await selectRows(db, "jobs", { kind: "mail" }, { columns: ["payload"], orderBy: "seq" });
  return jobs.map(({ payload }) => payload).filter(({ letter }) => letter.to.email === email);
}

/** Returns the kinds of all audit events about the user. */
async function eventsOf({ db }: Scene, userId: string): Promise<string[]> {
  const found = await db.sql(
    "select kind from audit_events where object_id = $1 or metadata->>'userId' = $1 order by kind",
    [userId],
  );
  return found.map(({ kind }) => kind);
}
