/** Tests the portal's pages about providers, without a script: sign-in, account, users, invitations and sign-out. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addOneTimeTokenSecret } from "#lib/domains/auth/one-time-tokens.ts";
import { type Page, parsePage } from "#test/support/page.ts";
import { openProviderScene, type ProviderScene } from "#test/support/provider-sign-in.ts";
import { createId } from "#lib/base/ids.ts";
import { insertRow, NOW, selectRows } from "#test/support/rows.ts";

const test = suite<ProviderScene & { open(path: string): Promise<Page> }>("pages about providers");
const PERSON = { sub: "1", email: "stranger@example.org", email_verified: true };

test.before.each(async (context) => {
  Object.assign(context, await openProviderScene({ env: { PORTAL: "on" } }));
  const { headers } = await context.signIn(PERSON), cookie = /^[^;]+/.exec(headers.get("set-cookie")!)![0];
  context.open = (path) => parsePage(context.scene, path, { cookie });
});
test.after.each(({ close }) => close());

test("a sign-out ends the session here and continues to the provider, without a redirect of the form", async (context) => {
  const { open, scene, provider } = context;
  const page = await (await open("/account")).submit("Sign out");
  assert.equal([page.status, page.path, page.cookie], [200, "/signed-out?provider=contoso", ""]);
  const path = page.link("Sign out of Contoso");
  assert.match(page.html, `<meta http-equiv="refresh" content="0; url=${path}">`);
  const { status, headers } = await scene.send(path), url = new URL(headers.get("location")!);
  assert.equal([status, url.origin + url.pathname], [303, `${provider.issuer}/session/end`]);
  assert.equal([...url.searchParams], [
    ["client_id", "wheelwright"],
    ["post_logout_redirect_uri", "http://localhost:3000/sign-in"],
  ]);
});

test("a sign-out leads nowhere else, whatever the address says", async ({ scene, provider }) => {
  for (const other of ["unknown", "https://evil.example", "//evil.example"]) {
    const page = await parsePage(scene, `/signed-out?provider=${encodeURIComponent(other)}`);
    assert.equal([page.status, page.html.includes("http-equiv"), page.html.includes("evil")], [200, false, false]);
  }
  provider.down = true; // the metadata is known from the sign-in
  assert.is((await scene.send("/api/auth/providers/contoso/end")).status, 303);
});

test("a session that began with a password ends only here", async ({ scene }) => {
  const page = await (await parsePage(scene, "/account", "hubAdmin")).submit("Sign out");
  assert.is(page.path, "/sign-in");
});

test("the account page lists linked identities and unlinks them", async ({ open, scene }) => {
  const page = await open("/account");
  assert.ok(page.part("heading", "Sign-in providers"));
  const after = await page.submit(/Unlink/);
  assert.is(after.path, "/account?done=unlinked");
  assert.is((await selectRows(scene.db, "identities")).length, 0);
});

test("a user's page shows them to operators, who unlink them", async ({ scene }) => {
  const page = await parsePage(scene, `/users/${scene.people.stranger.id}`, "operator");
  assert.match(page.text, "stranger@example.org");
  assert.is((await page.submit(/Unlink/)).path, `/users/${scene.people.stranger.id}?done=unlinked`);
});

test("an invitation can be accepted with a provider", async ({ scene }) => {
  const { body } = await scene.as("operator").post(`/api/federations/${scene.hub}/members`, { email: "x@example.org" });
  const [{ id }] = await selectRows(scene.db, "one_time_tokens", { userId: body.userId });
  const secret = (await scene.db.transact((tx) => addOneTimeTokenSecret(tx, id)))!;
  const page = await parsePage(scene, `/invite?token=${secret}`);
  assert.is(page.link("Accept with Contoso"), `/api/auth/providers/contoso/start?invitation=${secret}`);
});

test("a person with a second factor must give it after the provider too", async ({ scene, openBrowser, signIn }) => {
  const about = { userId: scene.people.stranger.id, kind: "totp", name: "phone", totpSecret: "sealed" };
  await insertRow(scene.db, "factors", { id: createId("fac"), ...about, activatedAt: NOW });
  const browser = openBrowser(), answer = await signIn(PERSON, { browser, next: "/hubs?q=oak" });
  assert.equal([answer.status, answer.headers.get("location")], [303, "/second-factor?next=%2Fhubs%3Fq%3Doak"]);
  assert.is((await browser.get("/api/auth/me")).status, 401, "the pending sign-in gives no access");
  assert.is((await browser.get("/second-factor?next=%2Fhubs%3Fq%3Doak")).status, 200);
});

test("a new sign-in ends the browser's earlier session", async ({ scene, openBrowser, signIn }) => {
  const browser = openBrowser();
  await signIn(PERSON, { browser });
  await signIn(PERSON, { browser });
  const sessions = await selectRows(scene.db, "sessions", { userId: scene.people.stranger.id }, {
    orderBy: "createdAt",
  });
  assert.equal(sessions.map(({ endedAt }) => endedAt === null), [true, false, true]);
});

test("the page for a required sign-in has the buttons too, and returns to the requested page", async ({ scene }) => {
  const page = await parsePage(scene, "/hubs?q=oak");
  assert.equal([page.status, page.link("Sign in with Contoso")], [
    401,
    "/api/auth/providers/contoso/start?next=%2Fhubs%3Fq%3Doak",
  ]);
});

test.run();
