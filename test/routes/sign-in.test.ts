/** Tests signing in and out, without JavaScript. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { PASSWORD } from "#test/support/users.ts";
import { type Page, parsePage } from "#test/support/page.ts";
import { createTestUser } from "#test/support/users.ts";

const test = suite<{ flows: MailLinkFlows; open(path: string, who?: "operator"): Promise<Page> }>(
  "the door of the portal",
);

test.before(async (context) => {
  const flows = context.flows = await openMailLinkFlows({ SIGNUP: "on" });
  let visits = 0; // each from a separate IP address
  context.open = (path, who) => {
    const address = `192.0.2.${10 + visits++}`;
    const send: MailLinkFlows["send"] = (to, init) => flows.send(to, init, address);
    return parsePage({ send, as: flows.scene.as }, path, who);
  };
});
test.after(({ flows }) => flows.close());

const signIn = (page: Page, password = PASSWORD) =>
  page.submit("Sign in", { "Email address": "operator@example.org", Password: password });

test("opens the requested page, with its query", async ({ flows, open }) => {
  const target = `/hubs/${flows.scene.hub}?state=active`;
  const door = await open(target);
  assert.is(door.status, 401);
  const there = await signIn(door);
  assert.equal([there.status, there.path, there.part("heading", "north").text], [200, target, "north"]);
  assert.equal((await open(`/sign-in?next=${encodeURIComponent(target)}`, "operator")).path, target);
});

test("shows a refusal as a sentence", async ({ open }) => {
  const page = await open("/hubs?state=lost", "operator");
  assert.equal([page.status, /<p[^>]*>(State must be one of [^<]*)\.</.test(page.html)], [400, true], page.html);
});

test("is linked from the page of a used link", async ({ open }) => {
  const door = await (await open("/invite?token=x")).follow("Sign in");
  assert.is((await signIn(door)).path, "/hubs");
  assert.is((await (await open("/reset?token=x")).follow("Request a new link")).path, "/forgot");
});

const ELSEWHERE = [
  ...["//evil.example", "https://evil.example/hubs", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)"],
  ...["/\t/evil.example", "/\n/evil.example", "//evil.example/%2e%2e", "https:evil.example", "http:/evil.example"],
  ...["///evil.example", "/%5cevil.example/..//x", "evil", "", "data:text/html,x", "//localhost:3000@evil.example/"],
];

test("redirects only to the portal's own paths", async ({ flows, open }) => {
  for (const next of ELSEWHERE) {
    const door = await open(`/sign-in?next=${encodeURIComponent(next)}`);
    const hidden = /name="next" value="([^"]*)"/.exec(door.html)![1]!;
    for (const sent of [hidden, next]) {
      const form = { email: "operator@example.org", password: PASSWORD, next: sent };
      const { status, headers } = await flows.send("/sign-in", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(form).toString(),
      }, `198.51.100.${ELSEWHERE.indexOf(next)}`);
      const url = new URL(headers.get("location")!, "http://localhost:3000/sign-in");
      assert.equal([status, url.origin], [303, "http://localhost:3000"], `${JSON.stringify(next)} redirects to ${url}`);
      assert.match(headers.get("location")!, /^\/(?![/\\])/);
    }
    const { headers } = await flows.send(`/sign-in?next=${encodeURIComponent(next)}`, {
      headers: await flows.scene.as("operator").credentials(),
    });
    assert.match(headers.get("location")!, /^\/(?![/\\])/, `${JSON.stringify(next)}, of who is signed in`);
  }
});

test("shows problems and keeps the address, but never the password", async ({ open }) => {
  const again = await signIn(await open("/sign-in?next=/hubs%3Fq%3Doak"), "a wrong password");
  assert.is(again.status, 401);
  assert.match(again.part("alert").text, /password/i);
  assert.equal([again.field("Email address").value, again.field("Password").value], ["operator@example.org", ""]);
  assert.not.match(again.html, "a wrong password");
  assert.is(again.cookie, "");
  assert.is((await signIn(again)).path, "/hubs?q=oak", "the requested page is kept");
});

test("limits attempts per IP address", async ({ flows }) => {
  const send: MailLinkFlows["send"] = (to, init) => flows.send(to, init, "203.0.113.9");
  let page = await parsePage({ send, as: flows.scene.as }, "/sign-in");
  for (let i = 0; i < 5; i++) page = await signIn(page, "a wrong password");
  const limited = await signIn(page);
  assert.equal([limited.status, limited.cookie], [429, ""]);
  assert.ok(Number(limited.headers.get("retry-after")) > 0);
  assert.match(limited.text, /[Ww]ait|again/);
});

test("ends the session at sign-out, and invalidates its cookie", async ({ flows, open }) => {
  const hubs = await signIn(await open("/sign-in"));
  const out = await hubs.submit("Sign out");
  assert.equal([out.path, out.cookie], ["/sign-in", ""]);
  assert.is((await parsePage({ send: flows.send, as: flows.scene.as }, "/hubs", { cookie: hubs.cookie })).status, 401);
});

test("emails a reset link, and answers the same for an unknown address", async ({ flows, open }) => {
  const { email } = await createTestUser(flows.db, "forgetful");
  const ask = async (address: string) =>
    (await (await open("/forgot")).submit("Send link", { "Email address": address })).part("main").text;
  const existing = await ask(email), unknown = await ask("nobody@example.org");
  assert.is(existing.replaceAll(email, "…"), unknown.replaceAll("nobody@example.org", "…"));
  await flows.work();
  assert.ok((await flows.postman.next(email)).token);
});

test("creates an account, and offers that only if sign-up is on", async ({ open }) => {
  const door = await open("/sign-in");
  const filled = { "Your name": "Eve <b>", "Email address": "eve@example.org", Password: "short" };
  const again = await (await door.follow("Create an account")).submit("Create account", filled);
  assert.is(again.status, 400);
  assert.ok(again.field("Password").wrong);
  assert.equal([again.field("Your name").value, again.field("Password").value], ["Eve <b>", ""]);
  const made = await again.submit("Create account", { Password: "a wholly new password" });
  assert.match(made.part("status").text, /mail/);
  const closed = await openMailLinkFlows();
  const place = { send: closed.send, as: closed.scene.as };
  assert.not((await parsePage(place, "/sign-in")).has("link", "Create an account"));
  const none = await parsePage(place, "/sign-up");
  assert.equal([none.all("field"), none.link("Sign in instead")], [[], "/sign-in"]);
  assert.match(none.text, "Ask an administrator for an invitation");
  await closed.close();
});

test.run();
