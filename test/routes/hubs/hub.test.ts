/** Tests the pages that create, change, share and remove a hub. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { type Page, parsePage } from "#test/support/page.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  open(path: string, who?: SceneRole): Promise<Page>;
}

const test = suite<Context>("the pages of a hub");

test.before(async (context) => {
  const scene = context.scene = await openScene();
  context.open = (path, who = "operator") => parsePage(scene, path.replace("NORTH", scene.hub), who);
});
test.after(({ scene }) => scene.close());

test("create a hub once, even if the form is sent twice", async ({ scene, open }) => {
  const form = await open("/hubs/new"), filled = { Slug: "south", Name: "<b>South</b>", Region: "eu" };
  const [made, again] = [await form.submit("Create hub", filled), await form.submit("Create hub", filled)];
  assert.ok(made.has("heading", "<b>South</b>"));
  assert.not.match(made.html, "<b>South</b>");
  assert.match(made.part("status", /Creation started/).text, "This page shows the progress");
  assert.is(again.path.replace(/\?.*/, ""), made.path.replace(/\?.*/, ""));
  const { body } = await scene.as("operator").get("/api/federations/south");
  assert.equal([body.name, body.region, body.tier], ["<b>South</b>", "eu", null]);
});

test("show the form with its values if the slug is taken or invalid", async ({ open }) => {
  const form = await open("/hubs/new");
  const taken = await form.submit("Create hub", { Slug: "north", Name: "North again" });
  assert.equal([taken.status, taken.field("Slug").wrong, taken.field("Name").value], [409, true, "North again"]);
  assert.match(taken.field("Slug").description, "The slug north is taken by another hub; choose another slug");
  const wrong = await taken.submit("Create hub", { Slug: "<i>" });
  assert.equal([wrong.status, wrong.field("Slug").value], [400, "<i>"]);
  assert.not.match(wrong.html, '"<i>"');
});

test("show the form for a new hub only to operators", async ({ open }) => {
  for (const who of ["stranger", "spokeAdmin", "hubAdmin"] as const) {
    const page = await open("/hubs/new", who);
    assert.equal([page.status, page.part("heading").text], [403, "You are not allowed to do this"], who);
    assert.match(page.text, "Only operators can perform this action");
  }
});

test("return only the rows of the hub's spokes that an open page asks for", async ({ scene, open }) => {
  const { db, hub, spoke, people } = scene, elm = await insertSpoke(db, people.operator.id, hub, "elm");
  const foreign = await insertSpoke(db, people.operator.id, await insertHub(db, people.operator.id, "west"), "far");
  const rowsOf = async (rows: string, who: SceneRole) => {
    const page = await open(`/hubs/NORTH?rows=${rows}`, who);
    assert.equal([page.status, page.has("list", "Summary"), page.has("searchbox", "Search")], [200, true, false]);
    return [...page.html.matchAll(/<li id="(spk_\w+)"/g)].map(([, id]) => id);
  };
  assert.equal(await rowsOf(`${elm},${foreign},spk_x`, "operator"), [elm]);
  assert.equal(await rowsOf(`${elm},${spoke}`, "spokeAdmin"), [spoke], "a spoke admin sees no other spoke");
  await updateRows(db, "spokes", { state: "removed", removedAt: NOW }, { id: elm });
  assert.equal(await rowsOf(elm, "hubAdmin"), []);
});

test("keep changes of another user while the form was open", async ({ scene, open }) => {
  const form = await open("/hubs/NORTH/settings", "hubAdmin"), hub = `/api/federations/${scene.hub}`;
  await scene.as("operator").patch(hub, { name: "Renamed" });
  await form.submit("Save", { Region: "us" });
  const { body } = await scene.as("operator").get(hub);
  assert.equal([body.name, body.region], ["Renamed", "us"]);
  await scene.as("operator").patch(hub, { name: "north", region: "eu" });
});

test("change a hub's name, and keep values that the form leaves empty", async ({ open }) => {
  const form = await open("/hubs/NORTH/settings", "hubAdmin");
  const done = await form.submit("Save", { Name: "Northern Schools", Mode: "open" });
  assert.equal([done.field("Name").value, done.field("Mode").value], ["Northern Schools", "open"]);
  assert.is(done.part("status", /./).text, "Changes saved.");
  const unchanged = await done.submit("Save", { Mode: "" });
  assert.is(unchanged.field("Mode").value, "open");
  assert.is(unchanged.part("status", /./).text, "Nothing changed.");
  const wrong = await unchanged.submit("Save", { Name: "x".repeat(201) });
  assert.equal([wrong.status, wrong.field("Name").wrong], [400, true]);
  await wrong.submit("Save", { Name: "north" });
});

test("offer removal only to operators", async ({ open }) => {
  assert.not((await open("/hubs/NORTH/settings", "hubAdmin")).has("link", /Remove/));
  assert.is((await open("/hubs/NORTH/remove", "hubAdmin")).status, 403);
  const page = await (await open("/hubs/NORTH/settings")).follow("Remove hub …");
  assert.ok(page.has("heading", "This hub still has one spoke"));
  assert.ok(page.has("link", "oak"));
  assert.not(page.has("button", "Remove hub"));
});

test("remove an empty hub once its slug is typed", async ({ scene, open }) => {
  const { body: { id } } = await scene.as("operator").post("/api/federations", { slug: "empty" });
  const form = await open(`/hubs/${id}/remove`);
  const wrong = await form.submit("Remove hub", { "Type empty to confirm": "north" });
  assert.equal([wrong.status, wrong.field("Type empty to confirm").wrong], [400, true]);
  assert.is((await scene.as("operator").get(`/api/federations/${id}`)).body.state, "provisioning");
  const done = await wrong.submit("Remove hub", { "Type empty to confirm": "empty" });
  assert.match(done.part("status", /./).text, "Removal started");
  assert.ok(!(await open(`/hubs/${id}/remove`)).has("button", "Abandon"), "the removal has not failed");
});

test("offer to abandon a failing removal", async ({ scene, open }) => {
  const { body: { id } } = await scene.as("operator").post("/api/federations", { slug: "stuck" });
  await scene.as("operator").delete(`/api/federations/${id}`);
  const failure = {
    code: "x",
    message: "The cluster does not answer",
    step: "namespace",
    fault: "cluster",
    hint: null,
  };
  await scene.db.sql("update jobs set failure = $2::text::jsonb where federation_id = $1 and kind = 'remove-hub'", [
    id,
    JSON.stringify({ ...failure, log: [], events: [] }),
  ]);
  const form = await open(`/hubs/${id}/remove`);
  assert.match(form.text, "The cluster does not answer. Wheelwright keeps retrying.");
  const done = await form.submit("Abandon", { "Type stuck to confirm": "stuck" });
  assert.equal([done.path, done.part("status", /./).text], ["/hubs?done=removed", "Removed."]);
});

test("retry a failed hub, and explain if that is not possible", async ({ scene, open }) => {
  const { body: { id } } = await scene.as("operator").post("/api/federations", { slug: "broken" });
  await updateRows(scene.db, "federations", { state: "failed", stateReason: "No room" }, { id });
  const page = await open(`/hubs/${id}`);
  assert.match(page.part("alert").text, "No room.");
  const done = await page.submit("Try again");
  assert.is(done.part("heading", "broken").text, "broken");
  const refused = await page.submit("Try again");
  assert.equal([refused.status, refused.part("heading").text], [409, "This is not possible right now"]);
});

test("invite an admin, and remove them after a confirmation", async ({ scene, open }) => {
  const page = await open("/hubs/NORTH/members", "hubAdmin");
  const wrong = await page.submit("Invite", { "Email address": "nobody" });
  assert.equal([wrong.status, wrong.field("Email address").value], [400, "nobody"]);
  const done = await wrong.submit("Invite", { "Email address": "grace@example.org", Name: "<i>Grace</i>" });
  assert.is(done.part("status", /./).text, "Invitation sent by email.");
  assert.match(done.part("listitem", /Grace/).text, /^<i>Grace<\/i> grace@example.org Invited/);
  assert.not.match(done.html, "<i>Grace");
  const existing = await done.submit("Invite", { "Email address": scene.people.hubAdmin.email });
  assert.match(existing.part("status", /./).text, "The user already had access");
  const ask = await existing.follow("Remove grace@example.org");
  assert.ok(ask.has("heading", "Remove <i>Grace</i> from north?"));
  const gone = await ask.submit("Remove");
  assert.not(gone.has("listitem", /grace/));
  assert.is((await ask.submit("Remove")).status, 404);
});

test("let an admin leave, and then show the remaining hubs", async ({ scene, open }) => {
  const { body: { id } } = await scene.as("operator").post("/api/federations", { slug: "left" });
  await scene.as("operator").post(`/api/federations/${id}/members`, { email: scene.people.stranger.email });
  const page = await open(`/hubs/${id}/members`, "stranger");
  assert.ok(page.has("listitem", /stranger \(you\)/));
  const done = await (await page.follow(/^Remove stranger/)).submit("Remove");
  assert.equal([done.path, done.has("link", "left")], ["/hubs?done=left", false]);
});

test("show operations, to a spoke admin only those of their own spokes", async ({ scene, open }) => {
  const { hub, spoke } = scene,
    { body: ash } = await scene.as("hubAdmin").post(`/api/federations/${hub}/spokes`, {
      ...{ slug: "ash", displayName: "Ash <b>tree</b>" },
    });
  await scene.as("hubAdmin").post(`/api/spokes/${spoke}/actions`, { action: "restart" });
  const page = await open("/hubs/NORTH/operations", "hubAdmin");
  assert.match(page.part("listitem", /^Provision/).text, /Ash <b>tree<\/b>.*Queued/);
  assert.not.match(page.html, "<b>tree");
  assert.match(page.html, `data-hub="${hub}" data-since="`);
  assert.match(page.text, `http://localhost:3000/api/federations/${hub}/events`);
  const narrowed = await open("/hubs/NORTH/operations", "spokeAdmin");
  assert.equal([narrowed.has("link", "Restart"), narrowed.text.includes("Ash")], [true, false]);
  assert.not(narrowed.has("link", "Billing"));
  await scene.db.sql("update jobs set state = 'cancelled', finished_at = now() where spoke_id in ($1, $2)", [
    ash.id,
    spoke,
  ]);
});

test.run();
