import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { parseHtmlForm, submissionOf, textOf } from "#test/support/html-form.ts";
import { addHubAdmin, addSpokeAdmin, createTestUser } from "#test/support/users.ts";
import { selectRows } from "#test/support/rows.ts";

const NEW = "a wholly new password";

const test = suite<{ flows: MailLinkFlows }>("/invite");

test.before(async (context) => {
  context.flows = await openMailLinkFlows({ PORTAL: "off" });
});
test.after(({ flows }) => flows.close());

async function invite({ db, scene, link, send }: MailLinkFlows, name: string) {
  const person = await createTestUser(db, name, { verified: false, passwordHash: null });
  await addHubAdmin(db, person, scene.hub);
  const page = await send(`/invite?token=${await link("invitation", person)}`);
  return { ...person, page };
}

test("shows the invited user and their hubs and spokes", async ({ flows }) => {
  const { page, email, id } = await invite(flows, "ada");
  assert.match(textOf(page), /You are invited.*you will administer: north .*works until .* UTC/);
  assert.match(page.body, `value="${email}"`);
  assert.equal(parseHtmlForm(page.body).fields.displayName, "ada");
  await addSpokeAdmin(flows.db, { id, email }, flows.scene.spoke);
  const again = await flows.send(`/invite?token=${await flows.link("invitation", { id, email })}`);
  assert.match(textOf(again), "north oak");
});

test("accepts an invitation and sets name and password", async ({ flows }) => {
  const { page, email } = await invite(flows, "bob");
  const done = await flows.send(...submissionOf(page.body, { password: NEW, displayName: `Bob <b>&"'` }));
  assert.is(done.status, 200);
  assert.match(
    textOf(done),
    /Welcome.*bob@example\.org is ready.*north.*POST http:\/\/localhost:3000\/api\/auth\/login/,
  );
  const login = await flows.post("/api/auth/login", { email, password: NEW }, {}, "192.0.2.77");
  assert.equal([login.status, login.body.user.displayName, login.body.user.role], [200, `Bob <b>&"'`, "hub_admin"]);
});

test("starts no session if the portal is off", async ({ flows }) => {
  const { page, id } = await invite(flows, "nosession");
  const done = await flows.send(...submissionOf(page.body, { password: NEW }));
  assert.is(done.headers.get("set-cookie"), null);
  assert.equal(await selectRows(flows.db, "sessions", { userId: id }, { columns: ["id"] }), []);
});

test("signs in if the portal is on", async ({ flows }) => {
  const { page } = await invite(flows, "withportal");
  const app = { ...flows.app, config: { ...flows.app.config, portal: true } };
  const server = openServer(app, manifest, { isSchedulerReady: () => true });
  const [path, init] = submissionOf(page.body, { password: NEW });
  const done = await server.request(new Request(`http://localhost:3000${path}`, init));
  assert.match(await done.text(), 'href="/hubs"');
  const cookie = done.headers.get("set-cookie")!.split(";")[0]!;
  const home = await server.request(new Request("http://localhost:3000/hubs", { headers: { cookie } }));
  assert.match(await home.text(), "Sign out");
});

test("shows problems at their fields and keeps the values, except the password", async ({ flows }) => {
  const { page, email } = await invite(flows, "eve");
  const displayName = `<script>alert(1)</script>${"x".repeat(200)}`;
  const wrong = await flows.send(...submissionOf(page.body, { password: "moodlemoodlemoodle", displayName }));
  assert.is(wrong.status, 400);
  assert.match(
    textOf(wrong),
    /Your input was not saved.*Your name must be text of 1 to 200.*The password must not be an easily guessed pattern/,
  );
  assert.is(parseHtmlForm(wrong.body).fields.displayName, displayName);
  assert.not.match(wrong.body, "<script>");
  assert.not.match(wrong.body, "moodlemoodlemoodle");
  assert.match(wrong.body, "<title>Please check the form");
  assert.not(await flows.opens(email, "moodlemoodlemoodle"));
  const right = await flows.send(...submissionOf(wrong.body, { password: NEW, displayName: "  " }));
  assert.is(right.status, 200);
  const [row] = await selectRows(flows.db, "users", { email }, { columns: ["displayName"] });
  assert.is(row.displayName, "eve", "an empty name is ignored");
});

test("accepts one of several simultaneous requests", async ({ flows }) => {
  const { page } = await invite(flows, "twice");
  const send = () => flows.send(...submissionOf(page.body, { password: NEW }));
  const pages = (await Promise.all([send(), send(), send()])).sort((a, b) => a.status - b.status);
  assert.equal(pages.map(({ status }) => status), [200, 422, 422]);
  assert.match(textOf(pages[1]!), "Ask the person who invited you");
});

test("lists at most ten hubs", async ({ flows }) => {
  const { id, email } = await invite(flows, "busy");
  for (let i = 0; i < 12; i++) {
    await flows.db.sql(
      `with hub as (insert into federations (id, slug, name, state, cluster, namespace, created_by)
         values ('fed_' || $1::text, 'h' || $1, 'Hub ' || $1, 'active', 'default', 'n' || $1, $2) returning id)
       insert into federation_members (federation_id, user_id) select id, $2 from hub`,
      [String(i), id],
    );
  }
  assert.match(
    textOf(await flows.send(`/invite?token=${await flows.link("invitation", { id, email })}`)),
    "and 3 more",
  );
});

test("warns if another user is signed in", async () => {
  const flows = await openMailLinkFlows({ PORTAL: "on" });
  try {
    const { page, email, id } = await invite(flows, "eve");
    assert.not.match(textOf(page), "You are signed in as");
    const path = `/invite?token=${await flows.link("invitation", { id, email })}`;
    const headers = await flows.scene.as("operator").credentials();
    const response = await flows.send(path, { headers });
    assert.match(
      textOf(response),
      new RegExp(`You are signed in as ${flows.scene.people.operator.email} ?\\. This invitation is for ${email} ?\\.`),
    );
    const [target, init] = submissionOf(response.body, { password: "short" });
    const again = await flows.send(target, { ...init, headers: { ...headers, ...init.headers as object } });
    assert.is(again.status, 400);
    assert.match(textOf(again), `this browser is signed in as ${email}`);
  } finally {
    await flows.close();
  }
});

test.run();
