/** Tests how people get or join accounts by signing in at a provider: by address, by invitation and by signing up. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PASSWORD } from "#test/support/users.ts";
import { openProviderScene, type ProviderScene } from "#test/support/provider-sign-in.ts";
import { selectRows } from "#test/support/rows.ts";
import { createTestSession, createTestToken, createTestUser } from "#test/support/users.ts";
import { addOneTimeTokenSecret } from "#lib/domains/auth/one-time-tokens.ts";

const test = suite<ProviderScene>("joining an account by a provider");

test.before.each(async (context) => {
  Object.assign(context, await openProviderScene({ settings: { signUp: true, emailDomains: ["example.org"] } }));
});
test.after.each(({ close }) => close());

/** Invites an address to the hub north, and returns the secret in the emailed link. */
async function invite({ scene }: ProviderScene, email: string): Promise<string> {
  const { body } = await scene.as("operator").post(`/api/federations/${scene.hub}/members`, { email });
  assert.is(body.status, "invited");
  const [{ id }] = await selectRows(scene.db, "one_time_tokens", { userId: body.userId });
  return (await scene.db.transact((tx) => addOneTimeTokenSecret(tx, id)))!;
}

test("creates an account with a verified address and no password", async ({ scene, signIn, openBrowser }) => {
  const browser = openBrowser();
  const person = { sub: "1", email: "New@Example.org", email_verified: true, name: "Nora\u202e New" };
  assert.is((await signIn(person, { browser })).status, 303);
  const [user] = await selectRows(scene.db, "users", { email: "new@example.org" });
  assert.equal([user.displayName, user.passwordHash, user.emailVerifiedAt !== null], ["Nora  New", null, true]);
  assert.is((await browser.get("/api/auth/me")).body.user.role, "spoke_admin");
});

test("refuses addresses outside of the allowed domains", async ({ signIn, listReasons }) => {
  for (const email of ["ada@evil.example", "ada@example.org.evil.example", "ada@sub.example.org"]) {
    assert.is((await signIn({ sub: email, email, email_verified: true })).status, 403, email);
  }
  assert.is((await signIn({ sub: "x", email: "ada@example.org", email_verified: false })).status, 403);
  assert.equal(await listReasons(), Array(4).fill("email_domain"));
});

test("takes an unverified account from a stranger who signed up with the address", async (context) => {
  const { scene, signIn } = context;
  const victim = await createTestUser(scene.db, "victim", { verified: false });
  const session = await createTestSession(scene.db, victim), token = await createTestToken(scene.db, victim, "cli");
  assert.is((await signIn({ sub: "1", email: victim.email, email_verified: true })).status, 303);
  const me = (headers: Record<string, string>) => scene.send("/api/auth/me", { headers });
  assert.is((await me({ cookie: `wheelwright=${session.secret}` })).status, 401);
  assert.is((await me({ authorization: `Bearer ${token.plaintext}` })).status, 401);
  const login = await scene.as("nobody").post("/api/auth/login", { email: victim.email, password: PASSWORD });
  assert.is(login.status, 401, "the stranger's password still works");
});

test("accepts an invitation by the invited address alone", async (context) => {
  const { scene, signIn, openBrowser } = context, browser = openBrowser();
  await invite(context, "invited@example.org");
  await signIn({ sub: "1", email: "invited@example.org", email_verified: true }, { browser });
  assert.equal((await browser.get("/api/auth/me")).body.user.federationIds, [scene.hub]);
});

test("accepts an invitation from its link with another address, once", async (context) => {
  const { scene, signIn, openBrowser, listReasons } = context, browser = openBrowser();
  const invitation = await invite(context, "invited@example.org");
  const person = { sub: "1", email: "work@example.org", email_verified: true };
  await signIn(person, { browser, invitation });
  const { user } = (await browser.get("/api/auth/me")).body;
  assert.equal([user.email, user.federationIds], ["invited@example.org", [scene.hub]]);
  const again = await scene.send(`/api/auth/providers/contoso/start?invitation=${invitation}`);
  assert.equal([again.status, again.body.code], [422, "link_spent"]);
  assert.equal(await listReasons(), []);
});

test("refuses an invitation that was accepted while the person was at the provider", async (context) => {
  const { provider, openBrowser, listReasons } = context;
  const invitation = await invite(context, "invited@example.org");
  const [first, second] = [openBrowser(), openBrowser()];
  provider.person = { sub: "1", email: "one@example.org", email_verified: true };
  const paths = [await first.reachCallback({ invitation })];
  provider.person = { sub: "2", email: "two@example.org", email_verified: true };
  paths.push(await second.reachCallback({ invitation }));
  assert.is((await second.get(paths[1]!)).status, 303);
  provider.person = { sub: "1", email: "one@example.org", email_verified: true };
  assert.is((await first.get(paths[0]!)).status, 403);
  assert.equal(await listReasons(), ["invitation_spent"]);
});

test("creates one account for parallel answers of the same person", async ({ scene, provider, openBrowser }) => {
  provider.person = { sub: "1", email: "new@example.org", email_verified: true };
  const browsers = [openBrowser(), openBrowser(), openBrowser()];
  const paths = await Promise.all(browsers.map((browser) => browser.reachCallback()));
  const answers = await Promise.all(browsers.map((browser, i) => browser.get(paths[i]!)));
  assert.equal(answers.map(({ status }) => status), [303, 303, 303]);
  assert.is((await selectRows(scene.db, "identities")).length, 1);
});

test.run();
