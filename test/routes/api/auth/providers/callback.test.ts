/** Tests whole sign-ins at a real OpenID Connect provider, over HTTP. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { openProviderScene, type ProviderScene } from "#test/support/provider-sign-in.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { createTestUser } from "#test/support/users.ts";

const test = suite<ProviderScene>("GET /api/auth/providers/{providerId}/callback");

test.before.each(async (context) => {
  Object.assign(context, await openProviderScene());
});
test.after.each(({ close }) => close());

const PERSON = { sub: "1234", email: "hub-admin@example.org", email_verified: true, name: "Hanna" };

test("signs a person in whose verified address has an account, and returns to the requested page", async (context) => {
  const { scene, signIn, openBrowser } = context, browser = openBrowser();
  const answer = await signIn(PERSON, { browser, next: "/hubs?q=oak" });
  assert.equal([answer.status, answer.headers.get("location")], [303, "/hubs?q=oak"], answer.body);
  assert.match(answer.headers.get("set-cookie")!, /^wheelwright=[\w-]{43}; .*HttpOnly; SameSite=Lax/);
  const me = await browser.get("/api/auth/me");
  assert.is(me.body.user.id, scene.people.hubAdmin.id);
  const [identity] = await selectRows(scene.db, "identities");
  assert.equal([identity.subject, identity.issuer, identity.userId], [
    "1234",
    context.provider.issuer,
    scene.people.hubAdmin.id,
  ]);
});

test("lets the subject decide afterwards, whatever the address is by then", async ({ scene, signIn, openBrowser }) => {
  await signIn(PERSON);
  for (const email of ["new@example.org", scene.people.operator.email, undefined]) {
    const browser = openBrowser();
    assert.is((await signIn({ sub: "1234", ...(email && { email, email_verified: true }) }, { browser })).status, 303);
    const { body: { user } } = await browser.get("/api/auth/me");
    assert.equal([user.id, user.email], [scene.people.hubAdmin.id, "hub-admin@example.org"]);
  }
});

test("refuses a second person with the same address, as if it had been given to somebody else", async (context) => {
  const { signIn, listReasons } = context;
  await signIn(PERSON);
  const refused = await signIn({ ...PERSON, sub: "5678" });
  assert.equal([refused.status, refused.headers.get("set-cookie")], [403, null]);
  assert.match(refused.body.message, "linked to another person at Contoso");
  assert.equal(await listReasons(), ["other_subject"]);
});

test("refuses an address that the provider has not verified", async ({ scene, signIn, listReasons }) => {
  for (const verified of [{ email_verified: false }, {}, { email_verified: "true" as unknown as boolean }]) {
    const refused = await signIn({ sub: "1", email: "operator@example.org", ...verified });
    assert.equal([refused.status, refused.headers.get("set-cookie")], [403, null]);
    assert.match(refused.body.message, "Contoso has not verified your email address");
  }
  assert.equal((await signIn({ sub: "2" })).status, 403);
  assert.equal(new Set(await listReasons()), new Set(["email_unverified"]));
  assert.is((await selectRows(scene.db, "identities")).length, 0);
});

test("refuses a person without an account, and creates none", async ({ scene, signIn, listReasons }) => {
  const refused = await signIn({ sub: "1", email: "who@example.org", email_verified: true });
  assert.is(refused.status, 403);
  assert.match(refused.body.message, "There is no account for who@example.org; ask an administrator for an invitation");
  assert.equal(await listReasons(), ["account_missing"]);
  assert.is((await selectRows(scene.db, "users", { email: "who@example.org" })).length, 0);
});

test("refuses a disabled user, also one who has signed in before", async ({ scene, signIn, listReasons }) => {
  await signIn(PERSON);
  await updateRows(scene.db, "users", { disabledAt: await scene.db.now() }, { id: scene.people.hubAdmin.id });
  const refused = [await signIn(PERSON), await signIn({ ...PERSON, sub: "other" })];
  assert.equal(refused.map(({ status }) => status), [403, 403]);
  assert.equal(await listReasons(), ["account_disabled", "account_disabled"]);
});

test("refuses the account of a stranger who signed up with the person's address", async ({ scene, signIn }) => {
  const stranger = await createTestUser(scene.db, "victim", { verified: false });
  const refused = await signIn({ sub: "1", email: stranger.email, email_verified: true });
  assert.is(refused.status, 403);
  assert.is((await selectRows(scene.db, "users", { id: stranger.id }))[0].emailVerifiedAt, null);
});

test("refuses a person who declines, with no reason of the provider", async ({ signIn, listReasons }) => {
  const refused = await signIn(null);
  assert.is(refused.status, 403);
  assert.match(
    refused.body.message,
    "Contoso did not sign you in: the sign-in was cancelled there, or was not allowed",
  );
  assert.not.match(refused.body.message, "access_denied");
  assert.equal(await listReasons(), ["provider_denied"]);
});

test("accepts each answer once, and never a code without its sign-in", async ({ provider, openBrowser }) => {
  provider.person = PERSON;
  const browser = openBrowser(), path = await browser.reachCallback();
  assert.is((await browser.get(path)).status, 303);
  const tokens = provider.requests.filter((each) => each === "/token").length;
  const replayed = await browser.get(path);
  assert.equal([replayed.status, replayed.headers.get("set-cookie")], [401, null]);
  assert.match(replayed.body.message, "already used");
  assert.is(provider.requests.filter((each) => each === "/token").length, tokens, "the code was sent again");
});

test("refuses an answer in another browser, so that nobody is signed in to an attacker's account", async (context) => {
  const { provider, openBrowser, listReasons } = context;
  provider.person = PERSON;
  const attacker = openBrowser(), victim = openBrowser();
  const path = await attacker.reachCallback();
  for (const start of [() => Promise.resolve(""), () => victim.reachCallback()]) {
    await start();
    const refused = await victim.get(path);
    assert.equal([refused.status, refused.headers.get("set-cookie")], [401, null]);
  }
  assert.equal(await listReasons(), ["other_browser"], "the first attempt uses up the sign-in");
  assert.is(provider.requests.filter((each) => each === "/token").length, 0);
});

test("refuses an unknown state without a record, because strangers could fill the log", async (context) => {
  const { scene, listReasons } = context;
  for (const state of ["x", "é", "A".repeat(43)]) {
    const refused = await scene.send(`/api/auth/providers/contoso/callback?code=x&state=${state}`);
    assert.equal([refused.status, refused.body.code], [401, "sign_in_expired"]);
  }
  assert.equal(await listReasons(), []);
});

test("refuses a sign-in that took more than ten minutes", async ({ scene, provider, openBrowser }) => {
  provider.person = PERSON;
  const browser = openBrowser(), path = await browser.reachCallback();
  await scene.db.shiftClock(10 * MINUTE + SECOND);
  assert.is((await browser.get(path)).status, 401);
});

test("never redirects to another site", async ({ signIn }) => {
  for (const next of ["//evil.example", "https://evil.example/hubs", "/\\evil.example", "javascript:alert(1)"]) {
    const { status, headers } = await signIn(PERSON, { next });
    assert.equal([status, headers.get("location")], [303, "/hubs"], next);
  }
});

test.run();
