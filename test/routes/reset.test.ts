import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openWorkLimiter } from "#lib/drivers/crypto/work-limiter.ts";
import { openPasswordHasher } from "#lib/drivers/crypto/password.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { submissionOf, textOf } from "#test/support/html-form.ts";
import { createTestSession, createTestToken, createTestUser, PASSWORD } from "#test/support/users.ts";

const NEW = "a wholly new password";

const test = suite<{ flows: MailLinkFlows }>("/reset");

test.before(async (context) => {
  context.flows = await openMailLinkFlows({ PORTAL: "off" });
});
test.after(({ flows }) => flows.close());

test("sets a new password by an emailed link", async ({ flows }) => {
  const ada = await createTestUser(flows.db, "ada"), { secret } = await createTestSession(flows.db, ada);
  await flows.post("/auth/forgot-password", { email: ada.email });
  await flows.work();
  const { link } = await flows.postman.next(ada.email);
  const page = await flows.send(link!.slice("http://localhost:3000".length));
  assert.match(textOf(page), /Set a new password.*Your password stays unchanged/);
  assert.match(page.body, `value="${ada.email}"`);
  const done = await flows.send(...submissionOf(page.body, { password: NEW }));
  assert.equal([done.status, done.headers.get("set-cookie")], [200, null]);
  assert.match(textOf(done), /Your new password is set.*ada@example\.org/);
  assert.ok(await flows.opens(ada.email, NEW));
  assert.is((await flows.send("/api/auth/me", { headers: { cookie: `wheelwright=${secret}` } })).status, 401);
});

test("keeps the old password if the new one is rejected", async ({ flows }) => {
  const bob = await createTestUser(flows.db, "bob");
  let page = await flows.send(`/reset?token=${await flows.link("password_reset", bob)}`);
  for (const password of ["", "short", "aaaaaaaaaaaaaaaa", "x".repeat(300), bob.email]) {
    page = await flows.send(...submissionOf(page.body, { password }));
    assert.is(page.status, 400);
    assert.ok(await flows.opens(bob.email, PASSWORD));
  }
  assert.match(textOf(page), "The password must not be the account's email address.");
  assert.is((await flows.send(...submissionOf(page.body, { password: NEW }))).status, 200);
});

test("revokes API tokens unless the box is ticked, and keeps the tick", async ({ flows }) => {
  for (const keeps of [false, true]) {
    const person = await createTestUser(flows.db, `keeps-${keeps}`),
      { plaintext } = await createTestToken(flows.db, person, "cli");
    const page = await flows.send(`/reset?token=${await flows.link("password_reset", person)}`);
    assert.match(textOf(page), "Keep my API tokens");
    assert.not.match(page.body, "checked");
    const ticked = keeps ? { keepTokens: "yes" } : {};
    const again = await flows.send(...submissionOf(page.body, { password: "short", ...ticked }));
    assert.is(again.status, 400);
    assert.is(/checked/.test(again.body), keeps);
    const done = await flows.send(...submissionOf(page.body, { password: NEW, ...ticked }));
    assert.is(done.status, 200);
    assert.is(/API tokens are revoked/.test(textOf(done)), !keeps);
    const me = await flows.send("/api/auth/me", { headers: { authorization: `Bearer ${plaintext}` } });
    assert.is(me.status, keeps ? 200 : 401);
  }
});

test("answers 503 with Retry-After while too many passwords are hashed", async ({ flows }) => {
  const dan = await createTestUser(flows.db, "dan");
  const page = await flows.send(`/reset?token=${await flows.link("password_reset", dan)}`);
  const full = openPasswordHasher(openWorkLimiter(0, 0));
  const server = openServer({ ...flows.app, passwords: full }, manifest, { isSchedulerReady: () => true });
  const [path, init] = submissionOf(page.body, { password: NEW });
  const busy = await server.request(new Request(`http://localhost:3000${path}`, init));
  assert.equal([busy.status, busy.headers.get("retry-after")], [503, "2"]);
  assert.match(textOf({ body: await busy.text() }), /Temporarily unavailable.*No changes were made/);
  assert.is((await flows.send(...submissionOf(page.body, { password: NEW }))).status, 200);
});

test("shows that nothing changed after an internal error", async ({ flows }) => {
  const eve = await createTestUser(flows.db, "eve");
  const page = await flows.send(`/reset?token=${await flows.link("password_reset", eve)}`);
  await flows.db.sql("alter table sessions rename to sessions_away");
  const [path, init] = submissionOf(page.body, { password: NEW });
  const failed = await flows.server.request(new Request(`http://localhost:3000${path}`, init));
  await flows.db.sql("alter table sessions_away rename to sessions");
  assert.is(failed.status, 500);
  assert.match(textOf({ body: await failed.text() }), /Temporarily unavailable.*No changes were made.*try again/);
  assert.ok(await flows.opens(eve.email, PASSWORD));
  assert.is((await flows.send(...submissionOf(page.body, { password: NEW }))).status, 200);
});

test.run();
