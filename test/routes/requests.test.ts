/** Tests hub requests: create, withdraw, approve and reject. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Page, parsePage } from "#test/support/page.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";

interface Context {
  scene: Scene;
  open(path: string, who: SceneRole): Promise<Page>;
  /** Requests a hub as the stranger. Returns the page of the request. */
  ask(slug: string): Promise<Page>;
}

const test = suite<Context>("/requests");

test.before(async (context) => {
  const scene = context.scene = await openScene();
  context.open = (path, who) => parsePage(scene, path, who);
  context.ask = async (slug) =>
    await (await parsePage(scene, "/requests/new", "stranger")).submit("Send request", { Slug: slug });
});
test.after(({ scene }) => scene.close());

test("explains how to request a hub if there is no request", async ({ open }) => {
  const page = await open("/requests", "spokeAdmin");
  assert.ok(page.has("heading", "No hub requests yet"));
  assert.equal(page.part("main").all("link"), ["Request a hub", "Request a hub"]);
});

test("sends a request once, and shows users only their own", async ({ scene, open }) => {
  const form = await open("/requests/new", "stranger");
  const filled = { Slug: "south", Name: "<b>South</b>", "Reason": "Twelve schools.\r\nIn <i>January</i>." };
  const [made, again] = [await form.submit("Send request", filled), await form.submit("Send request", filled)];
  assert.equal([made.status, again.path], [200, made.path]);
  assert.match(made.text, "Request sent");
  assert.match(made.text, "Twelve schools. In <i>January</i>.");
  assert.not.match(made.html, /<b>South|<i>Jan/);
  assert.ok((await open("/requests", "stranger")).has("listitem", /<b>South<\/b>.*Pending/));
  assert.not((await open("/requests", "hubAdmin")).has("listitem", /South/));
  assert.is((await open(made.path, "hubAdmin")).status, 404);
  assert.not(made.has("button", /Approve/), "the requester cannot decide");
  assert.match((await open("/requests", "operator")).part("listitem", /South/).text, scene.people.stranger.email);
});

test("shows the form with its values if the slug is taken", async ({ ask }) => {
  const page = await ask("north");
  assert.equal([page.status, page.field("Slug").wrong, page.field("Slug").value], [409, true, "north"]);
  assert.match(page.field("Slug").description, "The slug north is taken by another hub");
});

test("approves with changed values, and makes the requester the hub's admin", async ({ open, ask }) => {
  const { path } = await ask("west"), page = await open(path, "operator");
  const refused = await page.submit("Approve and create hub", { Slug: "north" });
  assert.equal([refused.status, refused.field("Slug").wrong], [409, true]);
  assert.equal(refused.all("alert").length, 1, "the alert is at the refused decision");
  const done = await refused.submit("Approve and create hub", { Slug: "far-west" });
  assert.match(done.part("status", /approved/).text, "Request approved. The hub is being created");
  assert.not(done.has("button", "Reject"));
  const requestPage = await open(path, "stranger");
  assert.ok((await requestPage.follow("Go to the hub")).has("link", "Members"));
});

test("rejects with a reason for the requester, and decides only once", async ({ open, ask }) => {
  const { path } = await ask("east"), page = await open(path, "operator");
  const without = await page.submit("Reject");
  assert.equal([without.status, without.field("Reason").wrong], [400, true]);
  const done = await without.submit("Reject", { Reason: "Not <b>yet</b>" });
  assert.match(done.part("status", /rejected/).text, "The requester gets an email");
  const requestPage = await open(path, "stranger");
  assert.match(requestPage.text, /Rejected.*Reason for the rejection Not <b>yet<\/b>/);
  assert.not.match(requestPage.html, "<b>yet");
  const late = await page.submit("Approve and create hub");
  assert.equal([late.status, late.part("alert").text], [
    409,
    "This request was already rejected by operator@example.org.",
  ]);
});

test("withdraws a pending request", async ({ open, ask }) => {
  const page = await ask("back"), done = await page.submit(/^Withdraw/);
  assert.match(done.text, /Withdrawn.*Request withdrawn/);
  assert.not(done.has("button", /^Withdraw/));
  const listed = await (await open("/requests", "stranger")).submit("Filter", { State: "withdrawn" });
  assert.equal([listed.has("listitem", /^back/), listed.has("listitem", /South/)], [true, false]);
});

test("lets only operators decide", async ({ scene, ask }) => {
  const { path } = await ask("mine");
  for (const [who, status] of [["stranger", 403], ["hubAdmin", 404]] as const) {
    for (const [deed, body] of [["approve", ""], ["reject", "reason=because"]] as const) {
      const headers = { ...await scene.as(who).credentials(), "content-type": "application/x-www-form-urlencoded" };
      const to = `${path.replace(/\?.*/, "")}/${deed}`;
      assert.is(
        (await scene.send(to, { method: "POST", headers, body })).status,
        status,
        `${who} ${deed}`,
      );
    }
  }
});

test.run();
