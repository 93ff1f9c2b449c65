/** Tests the pages of users, for operators. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { createTestSession, createTestUser } from "#test/support/users.ts";
import { type Page, parsePage } from "#test/support/page.ts";

const test = suite<{ flows: MailLinkFlows; open(path: string): Promise<Page> }>("/users");

test.before(async (context) => {
  const flows = context.flows = await openMailLinkFlows();
  context.open = (path) => parsePage({ send: flows.send, as: flows.scene.as }, path, "operator");
});
test.after(({ flows }) => flows.close());

test("lists users with role and state, and searches them", async ({ flows, open }) => {
  await createTestUser(flows.db, "<i>eve</i>", { disabled: true });
  const all = await open("/users");
  assert.match(all.part("listitem", /hub-admin/).text, /^hub-admin ?hub-admin@example.org ?Hub admin ?1 hub ?Active$/);
  const found = await all.submit("Search", { Search: "eve", State: "disabled" });
  assert.match(
    found.part("listitem", /eve/).text,
    /^<i>eve<\/i> ?<i>eve<\/i>@example.org ?Spoke admin ?No access ?Disabled$/,
  );
  assert.not(found.has("listitem", /hub-admin/));
  const none = await found.submit("Search", { Search: "nobody at all" });
  assert.ok((await none.follow("All users")).has("listitem", /hub-admin/));
});

test("shows that an existing admin already had access", async ({ flows, open }) => {
  const form = await open("/users/invite");
  const done = await form.submit("Invite", { "Email address": "hub-admin@example.org", Hub: flows.scene.hub });
  assert.is(done.part("status", /./).text, "The user already had access. Nothing changed.");
});

test("invites a user to a hub, and shows problems at their fields", async ({ flows, open }) => {
  const form = await open("/users/invite");
  const filled = { "Email address": "not an address", Name: "Grace", Hub: flows.scene.hub };
  const again = await form.submit("Invite", filled);
  assert.equal([again.status, again.field("Email address").wrong, again.field("Name").value], [400, true, "Grace"]);
  const done = await again.submit("Invite", { "Email address": "grace@example.org" });
  assert.equal([done.part("heading", "Grace").text, done.part("status", /mail/).text], [
    "Grace",
    "Invitation sent by email.",
  ]);
  await flows.work();
  assert.ok((await flows.postman.next("grace@example.org")).token);
  const { email } = await createTestUser(flows.db, "proved");
  const values = { "Email address": email, Hub: flows.scene.hub };
  for (const message of ["User added. The user has access now.", "The user already had access. Nothing changed."]) {
    assert.is((await form.submit("Invite", values)).part("status", /access/).text, message);
  }
});

test("shows a user's hubs and spokes, and renames the user", async ({ flows, open }) => {
  const { hubAdmin, spokeAdmin } = flows.scene.people;
  assert.is(
    (await open(`/users/${spokeAdmin.id}`)).part("region", "Hubs and spokes").link("oak"),
    `/spokes/${flows.scene.spoke}`,
  );
  const page = await open(`/users/${hubAdmin.id}`);
  assert.is(page.part("region", "Hubs and spokes").link("north"), `/hubs/${flows.scene.hub}`);
  const again = await page.submit("Save", { Name: "" });
  assert.equal([again.status, again.field("Name").wrong], [400, true]);
  const renamed = await again.submit("Save", { Name: "<b>Ada</b>" });
  assert.ok(renamed.has("heading", "<b>Ada</b>"));
  assert.not.match(renamed.html, "<b>Ada</b>");
});

test("disables a user after a confirmation, ends their sessions, and enables them again", async ({ flows, open }) => {
  const eve = await createTestUser(flows.db, "mallory"), { secret } = await createTestSession(flows.db, eve);
  const confirmation = await (await open(`/users/${eve.id}`)).follow("Disable …");
  assert.is(confirmation.part("heading").text, "Disable mallory?");
  const done = await confirmation.submit("Disable");
  assert.match(done.part("main").text, /mallory Disabled/);
  assert.is((await flows.send("/hubs", { headers: { cookie: `wheelwright=${secret}` } })).status, 401);
  const enabled = await (await done.follow("Enable …")).submit("Enable");
  assert.ok(enabled.has("link", "Disable …"));
});

test("grants the operator role, or explains why not", async ({ flows, open }) => {
  const invited = await createTestUser(flows.db, "unverified", { verified: false });
  const refused = await (await (await open(`/users/${invited.id}`)).follow("Make operator …")).submit(
    "Make operator",
  );
  assert.is(refused.status, 409);
  assert.match(refused.part("alert").text, "the email address is not verified");
  const { id } = await createTestUser(flows.db, "second");
  const made = await (await (await open(`/users/${id}`)).follow("Make operator …")).submit("Make operator");
  const demoted = await (await made.follow("Remove operator role …")).submit("Remove operator role");
  assert.ok(demoted.has("link", "Make operator …"));
});

test("resets a password after a confirmation and shows it once", async ({ flows, open }) => {
  const { id, email } = await createTestUser(flows.db, "forgetful");
  const confirmation = await (await open(`/users/${id}`)).follow("Reset password …");
  const done = await confirmation.submit("Reset password");
  const [, password] = /Copy this password now.*<code>([^<]+)<\/code>/s.exec(done.html)!;
  assert.is((await flows.post("/api/auth/login", { email, password }, {}, "192.0.2.88")).status, 200);
  assert.not.match((await done.follow("I have copied the password")).html, password!);
});

test("offers operators no change of their own account, and other users nothing", async ({ flows, open }) => {
  const { operator, hubAdmin } = flows.scene.people;
  const own = await open(`/users/${operator.id}`);
  assert.equal(own.all("link").filter((text) => text.endsWith("…")), []);
  const place = { send: flows.send, as: flows.scene.as };
  for (const path of ["/users", "/users/invite", `/users/${hubAdmin.id}`, `/users/${hubAdmin.id}/promote`]) {
    assert.is((await parsePage(place, path, "hubAdmin")).status, 403, path);
  }
  assert.is((await open(`/users/${hubAdmin.id}/toString`)).status, 404);
});

test.run();
