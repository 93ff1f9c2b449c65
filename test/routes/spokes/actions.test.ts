/** Tests actions on several spokes, selected in a list or by its filter: parameters, preview, confirmation, results. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Page, parsePage } from "#test/support/page.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  ash: string;
  open(who?: SceneRole, path?: string): Promise<Page>;
  states(): Promise<Record<string, string>>;
}

const test = suite<Context>("actions on many spokes");

test.before.each(async (context) => {
  const scene = context.scene = await openScene(), { db, hub, people } = scene;
  context.ash = await insertSpoke(db, people.operator.id, hub, "ash");
  await updateRows(db, "spokes", { state: "active", readyAt: NOW, displayName: "<b>ash</b>" }, { id: context.ash });
  context.open = (who = "hubAdmin", path = `/hubs/${hub}`) => parsePage(scene, path, who);
  context.states = async () =>
    Object.fromEntries(
      (await selectRows(db, "spokes", {}, { columns: ["slug", "state"] })).map(({ slug, state }) => [slug, state]),
    );
});
test.after.each(({ scene }) => scene.close());

const BOTH = { "Select oak": true, "Select <b>ash</b>": true };
const choose = (action: string) => ({ "Action for selected spokes": action });

test("offers operator actions only to operators", async ({ open }) => {
  for (const path of [undefined, "/spokes"]) {
    for (const [who, offered] of [["hubAdmin", false], ["operator", true]] as const) {
      assert.is(/<option value="reapply"/.test((await open(who, path)).html), offered, who);
    }
  }
});

test("previews all spokes, then runs the action", async ({ open, states }) => {
  const page = await open();
  const preview = await page.submit("Continue", { ...BOTH, ...choose("suspend") });
  assert.ok(preview.has("heading", "Suspend: 2 spokes"));
  assert.match(preview.text, /State afterwards.*suspended: 2.*Downtime.*2 spokes/s);
  assert.not.match(preview.html, "<b>ash");
  assert.equal(await states(), { oak: "active", ash: "active" }, "nothing was changed yet");
  const done = await preview.submit("Suspend: 2 spokes");
  assert.match(done.path, /^\/hubs\/fed_\w+\?done=asked$/);
  assert.equal(await states(), { oak: "suspending", ash: "suspending" });
});

test("shows which spokes cannot, and the result of each", async ({ scene, ash, open, states }) => {
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: ash });
  const preview = await (await open()).submit("Continue", { ...BOTH, ...choose("suspend") });
  assert.match(preview.text, "1 spoke cannot run this action now");
  assert.match(preview.text, "Cannot suspend a spoke that is suspended");
  const results = await preview.submit("Suspend: 1 spoke");
  assert.equal([results.status, results.part("heading", /^Suspend/).text], [200, "Suspend: 1 of 2 accepted"]);
  assert.match(results.text, /Accepted.*Refused.*Cannot suspend|Refused.*Cannot suspend.*Accepted/s);
  assert.equal(await states(), { oak: "suspending", ash: "suspended" });
});

test("starts nothing if the spokes have changed since the preview", async ({ scene, ash, open, states }) => {
  const preview = await (await open()).submit("Continue", { ...BOTH, ...choose("suspend") });
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: ash });
  const again = await preview.submit("Suspend: 2 spokes");
  assert.match(again.text, "The selected spokes have changed since the preview, so nothing was started");
  assert.equal(await states(), { oak: "active", ash: "suspended" });
  await again.submit("Suspend: 1 spoke");
  assert.equal(await states(), { oak: "suspending", ash: "suspended" });
});

test("asks for the version, and upgrades", async ({ scene, open }) => {
  await updateRows(scene.db, "spokes", { lmsVersion: "4.5.11" }, {});
  const { body: { versions } } = await scene.as("operator").get("/api/catalog");
  const images = { web: "web:1", cron: "cron:1" }, newest = versions[0].name;
  await updateRows(scene.db, "spokes", { lmsVersion: "4.4.1", blueprintInputs: JSON.stringify({ images }) }, {});
  const parameters = await (await open()).submit("Continue", { ...BOTH, ...choose("upgrade") });
  const preview = await parameters.submit("Preview", { Version: newest });
  assert.is(preview.status, 200, preview.text);
  assert.match(preview.text, /Upgrade to [\d.]+: 2 spokes/);
  await preview.submit("Upgrade: 2 spokes");
  const jobs = await selectRows(scene.db, "jobs", { kind: "upgrade" }, { columns: ["payload"] });
  assert.equal(jobs.map(({ payload }) => Object.keys(payload)), [["lmsVersion"], ["lmsVersion"]]);
});

test("destroys only after the typed confirmation", async ({ open, states }) => {
  const preview = await (await open("operator", "/spokes")).submit("Continue", { ...BOTH, ...choose("destroy") });
  const refused = await preview.submit("Destroy: 2 spokes", { Confirmation: "oak" });
  assert.match(refused.text, "must be: destroy 2 spokes");
  assert.equal(await states(), { oak: "active", ash: "active" });
  const done = await refused.submit("Destroy: 2 spokes", { Confirmation: "destroy 2 spokes" });
  assert.is(done.path, "/spokes?done=asked");
  assert.equal(await states(), { oak: "removing", ash: "removing" });
});

test("runs on everything that the filter matches", async ({ scene, states }) => {
  for (let i = 0; i < 51; i++) {
    const id = await insertSpoke(scene.db, scene.people.operator.id, scene.hub, `x-${i}`);
    await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id });
  }
  const list = await parsePage(scene, "/spokes?q=x-", "hubAdmin");
  assert.ok(list.has("link", "Older"));
  const preview = await list.submit("Continue", { "All matching spokes, on all pages": true, ...choose("restart") });
  const done = await preview.submit("Restart: 51 spokes");
  assert.is(done.path, "/spokes?done=asked");
  const { oak, ash, ...others } = await states();
  assert.equal([oak, ash, new Set(Object.values(others))], ["active", "active", new Set(["updating"])]);
});

test("explains if no spoke is selected, or none can", async ({ scene, open }) => {
  const none = await (await open()).submit("Continue", choose("suspend"));
  assert.ok(none.has("heading", "No spokes selected"));
  assert.is(none.link("Back to the hub"), `/hubs/${scene.hub}`);
  const resume = await (await open()).submit("Continue", { ...BOTH, ...choose("resume") });
  assert.match(resume.text, "None of the selected spokes can run this action now");
  assert.not(resume.has("button", /Resume/));
});

test("reaches no spoke of another hub, and none for a spoke admin", async ({ scene, ash, states }) => {
  const { body: other } = await scene.as("operator").post("/api/federations", { slug: "other" });
  const elsewhere = await insertSpoke(scene.db, scene.people.operator.id, other.id, "elsewhere");
  const send = async (who: SceneRole, id: string, action = "suspend") => {
    const headers = { ...await scene.as(who).credentials(), "content-type": "application/x-www-form-urlencoded" };
    const body = `${new URLSearchParams({ [`spoke:${id}`]: "on", action })}`;
    return await scene.send("/spokes/actions", { method: "POST", headers, body });
  };
  assert.match((await send("hubAdmin", elsewhere)).body, "No spokes selected");
  assert.match((await send("spokeAdmin", ash)).body, "No spokes selected");
  assert.is((await send("hubAdmin", ash, "explode")).status, 400);
  assert.equal(await states(), { oak: "active", ash: "active", elsewhere: "provisioning" });
});

test.run();
