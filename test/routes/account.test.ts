/** Tests the account page and onboarding. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { addHubAdmin, createTestSession, createTestUser, PASSWORD, type TestUser } from "#test/support/users.ts";
import { type Page, parsePage } from "#test/support/page.ts";

interface Context {
  flows: MailLinkFlows;
  /** Opens a page as a new user with their own session. */
  open(path: string, person: TestUser, address?: string): Promise<Page>;
}

const test = suite<Context>("/account, /welcome");

test.before(async (context) => {
  const flows = context.flows = await openMailLinkFlows();
  context.open = async (path, person, address = "192.0.2.30") => {
    const { secret } = await createTestSession(flows.db, person);
    const send: MailLinkFlows["send"] = (to, init) => flows.send(to, init, address);
    return await parsePage({ send, as: flows.scene.as }, path, { cookie: `wheelwright=${secret}` });
  };
});
test.after(({ flows }) => flows.close());

test("changes the user's name", async ({ flows, open }) => {
  const page = await open("/account", await createTestUser(flows.db, "ada"));
  const again = await page.submit("Save", { Name: "" });
  assert.equal([again.status, again.field("Name").wrong], [400, true]);
  const done = await again.submit("Save", { Name: "Ada <b>L</b>" });
  assert.is(done.part("status", /saved/).text, "Changes saved.");
  const same = await done.submit("Save", {});
  assert.is(same.part("status", /changed/).text, "Nothing changed.");
  assert.equal([done.field("Name").value, done.html.includes("<b>L</b>")], ["Ada <b>L</b>", false]);
});

test("shows the sessions, and ends one or all others", async ({ flows, open }) => {
  const bob = await createTestUser(flows.db, "bob"), { secret } = await createTestSession(flows.db, bob);
  await createTestSession(flows.db, bob);
  await createTestSession(flows.db, bob);
  const sessions = (page: Page) => page.all("button").filter((text) => text.startsWith("End session")).length;
  const page = await open("/account", bob);
  assert.is(sessions(page), 3);
  const rest = await page.submit("Sign out everywhere else");
  assert.equal([sessions(rest), rest.has("button", "Sign out everywhere else")], [0, false]);
  assert.is((await flows.send("/account", { headers: { cookie: `wheelwright=${secret}` } })).status, 401);
});

test("ends one session", async ({ flows, open }) => {
  const carl = await createTestUser(flows.db, "carl"), { secret } = await createTestSession(flows.db, carl);
  const done = await (await open("/account", carl)).submit("End session Unknown program");
  assert.is(done.part("status", /ended/).text, "Session ended.");
  assert.is((await flows.send("/account", { headers: { cookie: `wheelwright=${secret}` } })).status, 401);
});

test("changes the password, renews the session, and never shows the input", async ({ flows, open }) => {
  const dora = await createTestUser(flows.db, "dora");
  const form = await (await open("/account", dora)).follow("Change password");
  const wrong = await form.submit("Change password", {
    "Current password": "not this one",
    "New password": "a new pass phrase",
  });
  assert.is(wrong.status, 403);
  assert.ok(wrong.field("Current password").wrong);
  assert.equal([wrong.field("New password").value, /not this one|a new pass phrase/.test(wrong.html)], ["", false]);
  const short = await wrong.submit("Change password", { "Current password": PASSWORD, "New password": "short" });
  assert.match(short.field("New password").description, "12");
  const done = await short.submit("Change password", {
    "Current password": PASSWORD,
    "New password": "a new pass phrase",
  });
  assert.is(done.path, "/account?done=password");
  assert.is.not(done.cookie, form.cookie);
});

test("counts wrong passwords in the login bucket", async ({ flows, open }) => {
  const fay = await createTestUser(flows.db, "fay");
  let page = await open("/account/password", fay, "203.0.113.77");
  const guess = { "Current password": "a guess", "New password": "a new pass phrase" };
  for (let i = 0; i < 5; i++) page = await page.submit("Change password", guess);
  assert.is((await page.submit("Change password", { ...guess, "Current password": PASSWORD })).status, 429);
});

test("onboards a new user once: name, password and hub request", async ({ flows, open }) => {
  const gil = await createTestUser(flows.db, "gil");
  const welcome = await (await open("/account", gil)).follow("Set up your account");
  const filled = { "Your name": "Gil <i>", "New password": "a wholly new password", "Slug": "Not a slug" };
  const again = await welcome.submit("Done", filled);
  assert.is(again.status, 400);
  assert.equal([again.field("Slug").wrong, again.field("Your name").value], [true, "Gil <i>"]);
  assert.is(again.field("New password").value, "");
  const done = await again.submit("Done", { ...filled, "Slug": "gils" });
  assert.equal([done.path, done.status], ["/hubs?done=requested", 200]);
  const { body } = await flows.scene.as("operator").get("/api/federation-requests?state=pending");
  assert.ok(body.some(({ slug }: { slug: string }) => slug === "gils"));
  const cookie = { cookie: done.cookie }, place = { send: flows.send, as: flows.scene.as };
  assert.ok((await parsePage(place, "/welcome", cookie)).has("heading", "Your account is set up"));
  assert.not((await parsePage(place, "/account", cookie)).has("link", "Set up your account"));
});

test("shows at the field that a password needs a recent session, and keeps the other values", async ({ flows, open }) => {
  const ivy = await createTestUser(flows.db, "ivy"), welcome = await open("/welcome", ivy);
  await flows.db.sql("update sessions set created_at = created_at - interval '2 hours' where user_id = $1", [ivy.id]);
  const again = await welcome.submit("Done", { "Your name": "Ivy", "New password": "a wholly new password" });
  assert.equal([again.status, again.field("Your name").value], [403, "Ivy"]);
  assert.match(again.field("New password").description, "sign in again to set a password");
  assert.is((await again.submit("Done")).path, "/hubs?done=changed");
});

test("shows a problem of the hub request at its own field", async ({ flows, open }) => {
  const again = await (await open("/welcome", await createTestUser(flows.db, "joy"))).submit("Done", {
    "Slug": "A b",
  });
  assert.is(again.status, 400);
  assert.match(again.field("Slug").description, "Slug must be 1 to 63");
  assert.not.match(again.html, "federationRequest");
});

test("changes nothing when all fields are empty", async ({ flows, open }) => {
  const hal = await createTestUser(flows.db, "hal");
  await addHubAdmin(flows.db, hal, flows.scene.hub);
  const done = await (await open("/welcome", hal)).submit("Done");
  assert.is(done.path, "/hubs?done=changed");
  const [user] = await flows.db.sql(
    `select display_name = 'hal' as name, password_hash = (select password_hash from users
      where email = 'stranger@example.org') as password from users where id = $1`,
    [hal.id],
  );
  assert.equal({ ...user }, { name: true, password: true });
});

test.run();
