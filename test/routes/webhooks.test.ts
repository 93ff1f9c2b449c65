/** The portal's pages of webhooks: creation with the secret, changes, and what other people see. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";
import { textOf } from "#test/support/html-form.ts";

const test = suite<{ scene: Scene }>("/hubs/:federationId/webhooks");
test.before.each(async (context) => {
  context.scene = await openScene({ env: { PORTAL: "on" } });
});
test.after.each(({ scene }) => scene.close());

const FORM = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };

async function submit(
  scene: Scene,
  path: string,
  fields: Record<string, string>,
  who: "hubAdmin" | "operator" = "hubAdmin",
) {
  const headers = { ...FORM, accept: "text/html", ...await scene.as(who).credentials() };
  return await scene.send(path, { method: "POST", headers, body: new URLSearchParams(fields).toString() });
}

test("creates a webhook with the chosen events, and shows its secret once", async ({ scene }) => {
  const path = `/hubs/${scene.hub}/webhooks`;
  const fields = { url: "https://93.184.216.34/a", description: "Tickets", "type-SpokeUpdateFailed": "on" };
  const created = await submit(scene, path, fields);
  assert.is(created.status, 200);
  const secret = /whsec_[A-Za-z0-9+/]{43}=/.exec(created.body)![0];
  const list = await scene.as("hubAdmin").get(path);
  assert.match(textOf(list), /Tickets.*1 event type.*Active/s);
  assert.not.ok(list.body.includes(secret));
  const [{ id, eventTypes: types }] = await scene.db.sql("select id, event_types from webhooks");
  assert.equal(types, ["SpokeUpdateFailed"]);
  const page = await scene.as("hubAdmin").get(`/webhooks/${id}`);
  assert.match(textOf(page), /No deliveries yet/);
  assert.not.ok(page.body.includes(secret));
});

test("shows the reason next to the URL if a receiver is refused, and keeps what was typed", async ({ scene }) => {
  const fields = { url: "https://10.0.0.1/", description: "Mine", "type-SpokeUpdateFailed": "on" };
  const refused = await submit(scene, `/hubs/${scene.hub}/webhooks`, fields);
  assert.is(refused.status, 400);
  assert.match(textOf(refused), /URL cannot receive webhooks: its address is private, local or reserved/);
  assert.ok(refused.body.includes('value="https://10.0.0.1/"'));
  assert.match(refused.body, /id="type-SpokeUpdateFailed"[^>]*checked/);
});

test("changes, disables, tests and deletes a webhook", async ({ scene }) => {
  await submit(scene, `/hubs/${scene.hub}/webhooks`, { url: "https://93.184.216.34/a" });
  const [{ id }] = await scene.db.sql("select id from webhooks"), page = `/webhooks/${id}`;
  const stored = async () => (await scene.db.sql("select * from webhooks"))[0];
  await submit(scene, page, { url: "https://93.184.216.34/b", "type-SpokeUpdateActive": "on" });
  assert.equal([(await stored()).url, (await stored()).eventTypes], ["https://93.184.216.34/b", [
    "SpokeUpdateActive",
  ]]);
  assert.is((await submit(scene, `${page}/disable`, {})).status, 303);
  assert.is((await stored()).state, "disabled");
  assert.match(textOf(await scene.as("hubAdmin").get(page)), /No events are sent/);
  assert.is((await submit(scene, `${page}/test`, {})).headers.get("location"), `${page}?done=tested`);
  assert.match((await submit(scene, `${page}/rotate`, {})).body, /whsec_/);
  assert.is((await submit(scene, `${page}/nothing`, {})).status, 404);
  const confirm = await scene.as("hubAdmin").get(`${page}/delete`);
  assert.match(confirm.body, `action="${page}/delete"`);
  assert.is(
    (await submit(scene, `${page}/delete`, {})).headers.get("location"),
    `/hubs/${scene.hub}/webhooks?done=removed`,
  );
  assert.is(await stored(), undefined);
});

test("shows the webhooks of the installation to operators", async ({ scene }) => {
  assert.match((await submit(scene, "/webhooks", { url: "https://93.184.216.34/a" }, "operator")).body, /whsec_/);
  assert.match(textOf(await scene.as("operator").get("/webhooks")), /93\.184\.216\.34/);
  assert.is((await scene.as("hubAdmin").get("/webhooks")).status, 403);
});

test.run();
