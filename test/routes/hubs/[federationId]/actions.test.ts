/** Tests actions on selected spokes of a hub: preview, then run. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Page, parsePage } from "#test/support/page.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  ash: string;
  open(who?: SceneRole): Promise<Page>;
  states(): Promise<Record<string, string>>;
}

const test = suite<Context>("actions on many spokes");

test.before.each(async (context) => {
  const scene = context.scene = await openScene(), { db, hub, people } = scene;
  context.ash = await insertSpoke(db, people.operator.id, hub, "ash");
  await updateRows(db, "spokes", { state: "active", readyAt: NOW, displayName: "<b>ash</b>" }, { id: context.ash });
  context.open = (who = "hubAdmin") => parsePage(scene, `/hubs/${hub}`, who);
  context.states = async () =>
    Object.fromEntries(
      (await selectRows(db, "spokes", {}, { columns: ["slug", "state"] })).map(({ slug, state }) => [slug, state]),
    );
});
test.after.each(({ scene }) => scene.close());

const BOTH = { "Select oak": true, "Select <b>ash</b>": true }, SUSPEND = { "Action for selected spokes": "suspend" };

test("offers operator actions only to operators", async ({ open }) => {
  for (const [who, offered] of [["hubAdmin", false], ["operator", true]] as const) {
    assert.is(/<option value="reapply"/.test((await open(who)).html), offered, who);
  }
});

test("previews each spoke, then runs the action", async ({ open, states }) => {
  const page = await open();
  const confirmation = await page.submit("Continue", { ...BOTH, ...SUSPEND });
  assert.ok(confirmation.has("heading", "Suspend: 2 spokes"));
  assert.match(
    confirmation.part("listitem", /^oak/).text,
    /Downtime.*Becomes suspended.*Data, address and certificate/,
  );
  assert.not.match(confirmation.html, "<b>ash");
  assert.equal(await states(), { oak: "active", ash: "active" }, "nothing was changed yet");
  const done = await confirmation.submit("Suspend: 2 spokes");
  assert.match(done.path, /^\/hubs\/fed_\w+\?done=asked$/);
  assert.equal(await states(), { oak: "suspending", ash: "suspending" });
});

test("shows which spokes cannot, and the result of each", async ({ scene, ash, open, states }) => {
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: ash });
  const confirmation = await (await open()).submit("Continue", { ...BOTH, ...SUSPEND });
  assert.match(confirmation.text, "1 spoke cannot run this action now");
  assert.match(confirmation.part("listitem", /ash/).text, "Cannot suspend a spoke that is suspended");
  const results = await confirmation.submit("Suspend: 1 spoke");
  assert.equal([results.status, results.part("heading", /^Suspend/).text], [200, "Suspend: 1 of 2 accepted"]);
  assert.match(results.part("listitem", /^oak/).text, /Accepted.*Suspending$/);
  assert.match(results.part("listitem", /ash/).text, /Refused Cannot suspend.*Suspended$/);
  assert.is(results.link("oak"), `/spokes/${scene.spoke}`);
  assert.equal(await states(), { oak: "suspending", ash: "suspended" });
});

test("explains if no spoke is selected, or none can", async ({ scene, open }) => {
  const none = await (await open()).submit("Continue", SUSPEND);
  assert.ok(none.has("heading", "No spokes selected"));
  assert.is(none.link("Back to the hub"), `/hubs/${scene.hub}`);
  const resume = await (await open()).submit("Continue", { ...BOTH, "Action for selected spokes": "resume" });
  assert.equal(
    [resume.has("heading", "None of the selected spokes can run this action now"), resume.has("button", /Resume/)],
    [true, false],
  );
});

test("reaches no spoke of another hub, and none for a spoke admin", async ({ scene, ash, states }) => {
  const { body: other } = await scene.as("operator").post("/api/federations", { slug: "other" });
  const elsewhere = await insertSpoke(scene.db, scene.people.operator.id, other.id, "elsewhere");
  const send = async (who: SceneRole, hub: string, id: string, action = "suspend") => {
    const headers = { ...await scene.as(who).credentials(), "content-type": "application/x-www-form-urlencoded" };
    const body = `${new URLSearchParams({ [`spoke:${id}`]: "on", action, confirmed: "yes" })}`;
    return await scene.send(`/hubs/${hub}/actions`, { method: "POST", headers, body });
  };
  assert.match((await send("hubAdmin", scene.hub, elsewhere)).body, "No spokes selected");
  assert.is((await send("hubAdmin", other.id, elsewhere)).status, 404);
  assert.match((await send("spokeAdmin", scene.hub, ash)).body, "No spokes selected");
  assert.is((await send("hubAdmin", scene.hub, ash, "explode")).status, 400);
  assert.equal(await states(), { oak: "active", ash: "active", elsewhere: "provisioning" });
});

test.run();
