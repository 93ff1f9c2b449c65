import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { requestResetLink } from "#lib/domains/auth/forgot-password.ts";
import { MINUTE } from "#lib/base/time.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { createTestUser, PASSWORD } from "#test/support/users.ts";
import { recordStatements } from "#test/support/record-statements.ts";

const PATH = "/api/auth/forgot-password";
const ORIGIN = { ip: "192.0.2.9", userAgent: "Firefox" };

const test = suite<{ flows: MailLinkFlows }>("POST /api/auth/forgot-password");

test.before(async (context) => {
  context.flows = await openMailLinkFlows({ TRUSTED_PROXIES: "10.0.0.0/8" });
});
test.after(({ flows }) => flows.close());
test.before.each(({ flows }) => flows.db.shiftClock(0));

const sentLinks = async ({ db }: MailLinkFlows, id: string) =>
  (await listAuditEvents(db.rows, { kind: "password_reset_requested", objectId: id }, { limit: 9 })).items.length;

test("emails a link that sets a new password", async ({ flows }) => {
  const ada = await createTestUser(flows.db, "ada");
  const answer = await flows.post(PATH, { email: ` ${ada.email.toUpperCase()}` });
  assert.is(answer.status, 202);
  assert.match(answer.body.message, "on its way, or was sent within the last 5 minutes");
  assert.is(await flows.work(), 1);
  const mail = await flows.postman.next(ada.email);
  assert.match(mail.link!, "http://localhost:3000/reset?token=");
  const reset = await flows.post("/api/auth/reset-password", { token: mail.token, password: "a wholly new one" });
  assert.is(reset.status, 200);
  assert.ok(await flows.opens(ada.email, "a wholly new one"));
  const [event] = (await listAuditEvents(flows.db.rows, { kind: "password_reset_requested" }, { limit: 1 })).items;
  assert.equal([event?.objectId, event?.actor, event?.ip], [
    ada.id,
    { id: "anonymous", email: ada.email },
    "192.0.2.1",
  ]);
});

test("answers alike and runs the same queries for every address", async ({ flows }) => {
  const people = [
    await createTestUser(flows.db, "known"),
    await createTestUser(flows.db, "gone", { disabled: true }),
    await createTestUser(flows.db, "invited", { verified: false, passwordHash: null }),
  ];
  const responses: unknown[] = [];
  flows.passwords.count();
  for (const [i, email] of ["nobody@example.org", ...people.map((person) => person.email)].entries()) {
    const statements: string[] = [];
    await requestResetLink({ ...flows.app, db: recordStatements(flows.db, statements) }, ORIGIN, email);
    await flows.work();
    const { status, body, headers } = await flows.post(PATH, { email }, {}, `192.0.2.${100 + i}`);
    responses.push([status, body, [...headers.keys()].sort(), statements]);
  }
  for (const each of responses) assert.equal(each, responses[0]);
  assert.is((responses[0] as unknown[])[0], 202);
  assert.is(flows.passwords.count(), 0);
  await flows.work();
});

test("does nothing for an unknown address or a disabled user", async ({ flows }) => {
  const disabled = await createTestUser(flows.db, "disabled", { disabled: true });
  const before = await flows.db.sql("select count(*) from one_time_tokens");
  for (const email of ["unknown@example.org", disabled.email]) await flows.post(PATH, { email }, {}, "192.0.2.3");
  assert.is(await flows.work(), 2);
  assert.equal(await flows.db.sql("select count(*) from one_time_tokens"), before);
  assert.is(await sentLinks(flows, disabled.id), 0);
  assert.equal(flows.postman.mails.filter(({ to }) => [disabled.email, "unknown@example.org"].includes(to.email)), []);
});

test("works for an invited user who never accepted", async ({ flows }) => {
  const late = await createTestUser(flows.db, "late", { verified: false, passwordHash: null });
  await flows.post(PATH, { email: late.email }, {}, "192.0.2.4");
  await flows.work();
  const { token } = await flows.postman.next(late.email);
  assert.is((await flows.post("/api/auth/reset-password", { token, password: "a wholly new one" })).status, 200);
  assert.ok(await flows.opens(late.email, "a wholly new one"));
  const [row] = await flows.db.sql("select email_verified_at from users where id = $1", [late.id]);
  assert.ok(row.emailVerifiedAt);
});

test("sends one email for many simultaneous requests, and another after some minutes", async ({ flows }) => {
  const bob = await createTestUser(flows.db, "bob");
  const ask = (host: number) => flows.post(PATH, { email: bob.email }, {}, `198.51.100.${host}`);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, host) => ask(host)));
  assert.equal(new Set(answers.map(({ status }) => status)), new Set([202]));
  assert.is(await flows.work(), 1);
  await ask(30);
  assert.is(await flows.work(), 1);
  assert.is(await sentLinks(flows, bob.id), 1);
  await flows.db.shiftClock(6 * MINUTE);
  await ask(31);
  await flows.work();
  assert.is(await sentLinks(flows, bob.id), 2);
  await flows.postman.deliver();
  assert.is(flows.postman.mails.filter(({ to }) => to.email === bob.email).length, 2);
});

test("shares five attempts a minute with the login, each with its own message", async ({ flows }) => {
  const email = "whoever@example.org", from = "203.0.113.1";
  const login = (path: string) => flows.post(path, { email, password: PASSWORD }, {}, from);
  const forgot = (path: string) => flows.post(path, { email }, {}, from);
  assert.equal(
    [
      await login("/auth/login"),
      await login("/api/auth/login"),
      await forgot(PATH),
      await forgot("/auth/forgot-password"),
    ]
      .map(({ status }) => status),
    [401, 401, 202, 202],
  );
  assert.is((await forgot(PATH)).status, 202);
  const limited = [await forgot(PATH), await login("/auth/login")];
  assert.equal(limited.map(({ status, body }) => [status, body.message]), [
    [429, "too many requests"],
    [429, "too many login attempts"],
  ]);
  assert.ok(Number(limited[0]!.headers.get("retry-after")) > 0);
  assert.is((await flows.post(PATH, { email }, {}, "203.0.113.2")).status, 202);
});

test("counts each client behind a trusted proxy, and ignores forwarded addresses of others", async ({ flows }) => {
  const ask = (proxy: string, client: string) =>
    flows.post(PATH, { email: "proxied@example.org" }, { "x-forwarded-for": client }, proxy);
  for (let i = 0; i < 5; i++) assert.is((await ask("10.1.2.3", "203.0.113.101")).status, 202);
  for (let host = 2; host <= 10; host++) assert.is((await ask("10.1.2.3", `203.0.113.${100 + host}`)).status, 202);
  assert.is((await ask("10.1.2.3", "203.0.113.101")).status, 429);
  assert.is((await ask("10.9.9.9", "198.18.0.1, 203.0.113.101")).status, 429, "the client's own entry is ignored");
  for (let host = 1; host <= 5; host++) assert.is((await ask("198.51.100.200", `203.0.113.${host}`)).status, 202);
  assert.is((await ask("198.51.100.200", "203.0.113.99")).status, 429, "an untrusted proxy");
});

test("answers 400 for an invalid address, and 403 for a page of another site", async ({ flows }) => {
  assert.is((await flows.post(PATH, { email: "nobody" }, {}, "192.0.2.50")).status, 400);
  const evil = { origin: "https://evil.example" };
  assert.is((await flows.post(PATH, { email: "a@example.org" }, evil, "192.0.2.50")).status, 403);
});

test.run();
