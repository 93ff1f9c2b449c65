/** Tests that forms for dangerous actions ask for the password again if the sign-in is not recent. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ageSession, createTestSession, PASSWORD } from "#test/support/users.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("a form that needs a recent sign-in");

test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

const NEW = { Name: "nightly <b>report</b>", scope: "provisioning", Expires: "30" };

async function signInEarlier({ db, people }: Scene, who: SceneRole) {
  const session = await createTestSession(db, people[who]);
  await ageSession(db, session);
  return { session, cookie: `wheelwright=${session.secret}` };
}

test("asks for the password and then submits the form as the user filled it in", async ({ scene }) => {
  const { cookie } = await signInEarlier(scene, "hubAdmin");
  const form = await parsePage(scene, "/tokens/new", { cookie });
  const question = await form.submit("Create token", NEW);
  assert.equal([question.status, question.headers.get("cache-control")], [403, "no-store"]);
  assert.ok(question.has("heading", "Confirm that it is you"));
  assert.match(question.text, "Signed in as hub-admin@example.org");
  const wrong = await question.submit("Continue", { Password: "a wrong password" });
  assert.is(wrong.status, 403);
  assert.match(wrong.part("alert").text, "Cannot confirm that it is you: the password is wrong.");
  const made = await wrong.submit("Continue", { Password: PASSWORD });
  assert.is(made.status, 200);
  assert.match(made.text, /ww_prv_\w{20,}/);
  const { body: [token] } = await scene.as("hubAdmin").get("/api/auth/tokens");
  assert.equal([token.name, token.scope], [NEW.Name, NEW.scope]);
  const second = await (await parsePage(scene, "/tokens/new", { cookie })).submit("Create token", NEW);
  assert.match(second.text, /ww_prv_\w{20,}/); // asks only once in 15 minutes
});

test("asks again without a password, and shows errors of the form as usual", async ({ scene }) => {
  const { cookie } = await signInEarlier(scene, "spokeAdmin");
  const form = await parsePage(scene, "/tokens/new", { cookie });
  const question = await form.submit("Create token", { ...NEW, Name: "x" });
  assert.match((await question.submit("Continue", { Password: "" })).part("alert").text, "The password must be");
  const invalid = await form.submit("Create token", { ...NEW, Name: "" });
  assert.ok(invalid.field("Name").wrong);
});

test("removes nothing for a stolen session, also with a guessed password", async ({ scene }) => {
  const { cookie } = await signInEarlier(scene, "operator");
  const form = await parsePage(scene, `/spokes/${scene.spoke}/destroy`, { cookie });
  const question = await form.submit(/Destroy/, { slug: "oak" });
  assert.is(question.status, 403);
  assert.is((await question.submit("Continue", { Password: "guessed" })).status, 403);
  assert.is((await scene.as("operator").get(`/api/spokes/${scene.spoke}`)).body.state, "active");
});

test("limits the attempts for each network", async ({ scene }) => {
  const { cookie } = await signInEarlier(scene, "stranger");
  const post = () =>
    scene.send("/tokens/new", {
      method: "POST",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ name: "x", scope: "cli", "confirm:password": "guessed" }).toString(),
    });
  const statuses = [];
  for (let i = 0; i < 6; i++) statuses.push((await post()).status);
  assert.is(statuses.at(-1), 429);
});

test.run();
