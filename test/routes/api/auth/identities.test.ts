import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openProviderScene, type ProviderScene } from "#test/support/provider-sign-in.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<ProviderScene>("/api/auth/identities and /api/users/{userId}/identities");

test.before.each(async (context) => {
  Object.assign(context, await openProviderScene({ settings: { roles: { ops: "operator" } } }));
});
test.after.each(({ close }) => close());

const PERSON = { sub: "1", email: "stranger@example.org", email_verified: true };

test("list a user's identities, to the user and to operators", async ({ scene, provider, signIn }) => {
  await signIn(PERSON);
  const { body } = await scene.as("stranger", "readonly").get("/api/auth/identities");
  assert.equal([body.length, body[0].provider, body[0].issuer, body[0].subject, body[0].email], [
    ...[1, "contoso", provider.issuer, "1", "stranger@example.org"],
  ]);
  const path = `/api/users/${scene.people.stranger.id}/identities`;
  assert.equal((await scene.as("operator").get(path)).body, body);
  assert.is((await scene.as("hubAdmin").get(path)).status, 403);
});

test("are unlinked with the roles that their groups gave, and the person needs to join again", async (context) => {
  const { scene, signIn } = context;
  await signIn({ ...PERSON, groups: ["ops"] });
  const [{ id }] = await selectRows(scene.db, "identities");
  assert.is((await scene.as("hubAdmin").delete(`/api/auth/identities/${id}`)).status, 404, "of another user");
  assert.is((await scene.as("stranger").delete(`/api/auth/identities/${id}`)).status, 204);
  assert.is((await scene.as("stranger").get("/api/auth/me")).body.user.role, "spoke_admin");
  assert.is((await signIn({ ...PERSON, sub: "2" })).status, 303, "another person may join now");
});

test("are not unlinked if the user could not sign in again", async ({ scene, signIn }) => {
  await signIn(PERSON);
  await updateRows(scene.db, "users", { passwordHash: null }, { id: scene.people.stranger.id });
  const [{ id }] = await selectRows(scene.db, "identities");
  const refused = await scene.as("stranger").delete(`/api/auth/identities/${id}`);
  assert.equal([refused.status, refused.body.code], [409, "identity_needed"]);
});

test("are unlinked by an operator, which ends the user's sessions", async ({ scene, signIn, openBrowser }) => {
  const browser = openBrowser();
  await signIn(PERSON, { browser });
  const [{ id }] = await selectRows(scene.db, "identities"), path = `/api/users/${scene.people.stranger.id}/identities`;
  assert.is((await scene.as("hubAdmin").delete(`${path}/${id}`)).status, 403);
  assert.is((await scene.as("operator", "cli").delete(`${path}/${id}`)).status, 401, "a leaked token");
  assert.is((await scene.as("operator").delete(`${path}/${id}`)).status, 204);
  assert.is((await browser.get("/api/auth/me")).status, 401);
});

test("are unlinked only soon after a sign-in, so that a stolen session cannot", async ({ scene, signIn }) => {
  await signIn(PERSON);
  const [{ id }] = await selectRows(scene.db, "identities");
  await scene.as("stranger").get("/api/auth/me");
  await scene.db.shiftClock(16 * 60_000);
  const refused = await scene.as("stranger").delete(`/api/auth/identities/${id}`);
  assert.equal([refused.status, refused.body.code], [403, "recent_sign_in_required"]);
});

test.run();
