import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { signUp } from "#lib/domains/auth/signup.ts";
import { HOUR } from "#lib/base/time.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { createTestUser, PASSWORD } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";
import { recordStatements } from "#test/support/record-statements.ts";

const PATH = "/api/auth/signup";
const MINE = "the password that I chose";
const ORIGIN = { ip: "192.0.2.9", userAgent: "Firefox" };

const test = suite<{ flows: MailLinkFlows }>("POST /api/auth/signup");

test.before(async (context) => {
  context.flows = await openMailLinkFlows({ SIGNUP: "on" });
});
test.after(({ flows }) => flows.close());
test.before.each(({ flows }) => flows.db.shiftClock(0));

const accountOf = async ({ db }: MailLinkFlows, email: string) =>
  (await db.sql("select * from users where email = $1", [email]))[0];
const mailsTo = async ({ postman }: MailLinkFlows, email: string) => {
  await postman.deliver();
  return postman.mails.filter(({ to }) => to.email === email).map(({ subject }) => subject);
};

test("creates an account that works once its address is verified", async ({ flows }) => {
  const email = "ada@example.org";
  const answer = await flows.post(PATH, { email, password: MINE, displayName: "Ada" });
  assert.is(answer.status, 202);
  assert.is(await flows.work(), 1);
  const made = await accountOf(flows, email);
  assert.equal([made.displayName, made.emailVerifiedAt, made.operator], ["Ada", null, false]);
  const login = await flows.post("/api/auth/login", { email, password: MINE });
  assert.equal([login.status, login.body.user.role], [200, "spoke_admin"]);
  const { token, link } = await flows.postman.next(email);
  assert.match(link!, "http://localhost:3000/verify?token=");
  assert.is((await flows.post("/api/auth/verify-email", { token, password: MINE })).status, 200);
  assert.ok((await accountOf(flows, email)).emailVerifiedAt);
  assert.is((await flows.post("/api/auth/login", { email, password: MINE })).status, 200);
  const [event] =
    (await listAuditEvents(flows.db.rows, { kind: "user_created", objectId: made.id }, { limit: 9 })).items;
  assert.equal([event?.actor, event?.metadata], [{ id: "anonymous", email }, { email, by: "signup" }]);
});

test("answers 403 if SIGNUP is off, without hashing", async ({ flows }) => {
  flows.passwords.count();
  const app = { ...flows.app, config: { ...flows.app.config, signup: false } };
  const fault = await rejection(signUp(app, ORIGIN, { email: "off@example.org", password: MINE }));
  assert.is(fault.code, "signup_off");
  assert.is(flows.passwords.count(), 0);
  const refused = await flows.scene.as("nobody").post(PATH, { email: "short@example.org", password: "short" });
  assert.is(refused.status, 400);
});

test("refuses the address as the password, whether the user exists or not", async ({ flows }) => {
  await createTestUser(flows.db, "here.for.long");
  for (const email of ["here.for.long@example.org", "not.here.yet@example.org"]) {
    const refused = await flows.post(PATH, { email, password: email.toUpperCase() }, {}, "192.0.2.88");
    assert.equal([refused.status, refused.body.message], [400, "password must not be the account's email address"]);
  }
});

test("answers alike, hashes once and runs the same queries for every address", async ({ flows }) => {
  const people = [
    await createTestUser(flows.db, "known"),
    await createTestUser(flows.db, "gone", { disabled: true }),
    await createTestUser(flows.db, "invited", { verified: false, passwordHash: null }),
    await createTestUser(flows.db, "unverified", { verified: false }),
  ];
  const responses: unknown[] = [];
  for (const [i, email] of ["new@example.org", ...people.map((person) => person.email)].entries()) {
    const statements: string[] = [];
    flows.passwords.count();
    await signUp({ ...flows.app, db: recordStatements(flows.db, statements) }, ORIGIN, { email, password: MINE });
    const hashed = flows.passwords.count();
    await flows.work();
    const { status, body, headers } = await flows.post(PATH, { email, password: MINE }, {}, `192.0.2.${100 + i}`);
    await flows.work();
    responses.push([hashed, statements, status, body, [...headers.keys()].sort()]);
  }
  for (const each of responses) assert.equal(each, responses[0]);
  assert.equal((responses[0] as unknown[])[0], 1);
});

test("keeps an existing account, and emails its owner a sign-in link at most once an hour", async ({ flows }) => {
  const bob = await createTestUser(flows.db, "bob");
  const before = await accountOf(flows, bob.email);
  for (let host = 1; host <= 3; host++) {
    await flows.post(PATH, { email: bob.email, password: MINE, displayName: "Mallory" }, {}, `192.0.2.${host}`);
    await flows.work();
  }
  assert.equal(await accountOf(flows, bob.email), before);
  const { link } = await flows.postman.next(bob.email);
  assert.match(link!, "/reset?token=");
  assert.is((await mailsTo(flows, bob.email)).length, 1);
  await flows.db.shiftClock(HOUR + 1);
  await flows.post(PATH, { email: bob.email, password: MINE }, {}, "192.0.2.4");
  await flows.work();
  assert.is((await mailsTo(flows, bob.email)).length, 2);
});

test("emails the link of an unverified address again, at most once an hour, and keeps the account", async ({ flows }) => {
  const email = "slow@example.org";
  const again = async (password: string, host: number) => {
    await flows.post(PATH, { email, password }, {}, `192.0.2.${host}`);
    await flows.work();
    return (await mailsTo(flows, email)).length;
  };
  assert.is(await again(MINE, 11), 1);
  const before = await accountOf(flows, email);
  assert.is(await again("the password of another", 12), 1);
  await flows.db.shiftClock(HOUR + 1);
  assert.is(await again("the password of another", 13), 2);
  assert.equal(await accountOf(flows, email), before);
});

test("does nothing for a disabled user", async ({ flows }) => {
  const gone = await createTestUser(flows.db, "off", { disabled: true });
  await flows.post(PATH, { email: gone.email, password: MINE }, {}, "192.0.2.21");
  await flows.work();
  assert.equal(await flows.db.sql("select id from one_time_tokens where user_id = $1", [gone.id]), []);
  assert.equal(await mailsTo(flows, gone.email), []);
});

test("creates one account and one email for many simultaneous requests", async ({ flows }) => {
  const email = "popular@example.org";
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => flows.post(PATH, { email, password: `${MINE} ${i}` }, {}, `198.51.100.${i}`)),
  );
  assert.equal(new Set(answers.map(({ status }) => status)), new Set([202]));
  assert.is(await flows.work(), 1);
  assert.is((await flows.db.sql("select id from users where email = $1", [email])).length, 1);
  assert.is((await mailsTo(flows, email)).length, 1);
});

test("shows the display name of a stranger to no owner of the address", async ({ flows }) => {
  const email = "victim@example.org";
  await flows.post(PATH, { email, password: MINE, displayName: "You have won https://evil.example" }, {}, "192.0.2.31");
  await flows.work();
  const mail = await flows.postman.next(email);
  assert.not.match(JSON.stringify(mail), "evil.example");
});

test("leaves no password and no hash in the queue", async ({ flows }) => {
  await flows.post(PATH, { email: "tidy@example.org", password: "never to be written down" }, {}, "192.0.2.41");
  const rows = async () => JSON.stringify(await flows.db.sql("select jobs::text from jobs"));
  assert.not.match(await rows(), "never to be written down");
  await flows.work();
  assert.not.match(await rows(), "quick:");
});

test("counts in the login bucket", async ({ flows }) => {
  const from = "203.0.113.7", email = "whoever@example.org";
  for (let i = 0; i < 5; i++) await flows.post("/api/auth/login", { email, password: PASSWORD }, {}, from);
  const limited = await flows.post(PATH, { email, password: MINE }, {}, from);
  assert.equal([limited.status, limited.body.message], [429, "too many requests"]);
});

test.run();
