import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; elm: string }>("actions on the pages of a spoke");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  const { body } = await scene.as("operator").post(`/api/federations/${scene.hub}/spokes`, { slug: "elm" });
  context.elm = body.id;
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW });
});
test.after.each(({ scene }) => scene.close());

const jobs = ({ db }: Scene, kind: string) => selectRows(db, "jobs", { kind }, { columns: ["payload"] });

test("previews an action, then runs it", async ({ scene }) => {
  const page = await parsePage(scene, `/spokes/${scene.spoke}/actions/suspend`, "spokeAdmin");
  assert.match(
    page.text,
    /The site becomes unavailable to visitors.*The state changes from active to suspended.*Data, address and/,
  );
  assert.match(page.part("region", "Steps").text, /Pausing scheduled tasks Stopping Moodle/);
  assert.equal(await jobs(scene, "suspend"), []);
  const done = await page.submit("Suspend");
  assert.is(done.path, `/spokes/${scene.spoke}?done=asked`);
  assert.match(done.text, "Request accepted");
  assert.match(done.part("region", "Suspend").text, /Queued.*Stopping the database: not started/);
  assert.is((await jobs(scene, "suspend")).length, 1);
});

test("offers no action that the state forbids, and explains which state allows it", async ({ scene }) => {
  const page = await parsePage(scene, `/spokes/${scene.spoke}/actions/resume`, "hubAdmin");
  assert.match(page.part("status", /Cannot resume/).text, "it must be suspended or suspending");
  assert.not(page.has("button", "Resume"));
  assert.is((await parsePage(scene, `/spokes/${scene.spoke}/actions/explode`, "hubAdmin")).status, 404);
});

test("shows a refused version with its reason; a preview changes nothing", async ({ scene, elm }) => {
  const page = await parsePage(scene, `/spokes/${elm}/actions/upgrade`, "hubAdmin");
  const refused = await page.submit("Upgrade", { Version: "3.9" });
  assert.is(refused.status, 422);
  const { value, wrong, description } = refused.field("Version");
  assert.equal([value, wrong], ["3.9", true]);
  assert.match(description, /Cannot upgrade to 3\.9: the spoke runs .* cannot be downgraded/);
  const values = { Version: "5.2.2", "Skip the backup": true };
  const preview = await page.submit("Preview", values);
  assert.match(preview.text, "A backup of both volumes is taken first, if the cluster can");
  assert.equal([preview.field("Version").value, preview.field("Skip the backup").ticked], ["5.2.2", true]);
  assert.equal(await jobs(scene, "upgrade"), []);
});

test("offers all sizes with their resources, except the current one", async ({ scene, elm }) => {
  const page = await parsePage(scene, `/spokes/${elm}/actions/resize`, "hubAdmin");
  assert.match(page.part("group", "Size").text, /Small.*Medium current.*Large.*4 CPU and 4 GiB/);
  assert.is((await page.submit("Resize", { size: "large" })).path, `/spokes/${elm}?done=asked`);
  assert.equal(await jobs(scene, "resize"), [{ payload: { size: "large" } }]);
});

test("keeps changes of another user while the form was open", async ({ scene, elm }) => {
  const page = await parsePage(scene, `/spokes/${elm}/settings`, "hubAdmin");
  const { value: domain } = page.field("Domain");
  await updateRows(scene.db, "spokes", { adminEmail: "new@example.org" }, { id: elm });
  const wrong = await page.submit("Save", { Name: "Elm School", Domain: "not a domain" });
  assert.is(wrong.status, 400);
  await wrong.submit("Save", { Domain: domain! });
  const { body } = await scene.as("operator").get(`/api/spokes/${elm}`);
  assert.equal([body.displayName, body.adminEmail], ["Elm School", "new@example.org"]);
});

test("destroys a spoke only if its slug is typed, and lists what is deleted and kept", async ({ scene }) => {
  const page = await parsePage(scene, `/spokes/${scene.spoke}/destroy`, "hubAdmin");
  assert.match(page.part("region", "What is deleted").text, /its courses, users/);
  assert.match(page.part("region", "What is kept").text, /No final backup can be taken.*This site has no backups/);
  const refused = await page.submit("Destroy this spoke", { "Slug of the spoke": "ok" });
  assert.equal([refused.status, refused.field("Slug of the spoke").value], [400, "ok"]);
  assert.match(refused.field("Slug of the spoke").description, "must be oak, the slug of this spoke");
  assert.equal(await jobs(scene, "remove"), []);
  const gone = await refused.submit("Destroy this spoke", { "Slug of the spoke": "oak" });
  assert.match(gone.text, /Removing.*Removal started/);
  assert.is((await jobs(scene, "remove")).length, 1);
});

test("lets hub admins retry a failing removal, and only operators abandon it", async ({ scene }) => {
  await scene.as("operator").delete(`/api/spokes/${scene.spoke}`);
  const path = `/spokes/${scene.spoke}/destroy`;
  assert.equal((await parsePage(scene, path, "operator")).all("button"), ["Sign out"]);
  const failure = { step: "stop", code: "Timeout", fault: "cluster", message: "Gone", hint: null, log: [], events: [] };
  await scene.db.sql("update jobs set attempt = 1, failure = $1::text::jsonb where kind = 'remove'", [
    JSON.stringify(failure),
  ]);
  const page = await parsePage(scene, path, "hubAdmin");
  assert.not(page.has("button", "Abandon"));
  assert.is((await page.submit("Retry now")).path, `/spokes/${scene.spoke}?done=removing`);
  const own = await parsePage(scene, path, "operator");
  const wrong = await own.submit("Abandon", { "Slug of the spoke": "elm" });
  assert.is(wrong.status, 400);
  const gone = await wrong.submit("Abandon", { "Slug of the spoke": "oak" });
  assert.match(gone.text, /oak Removed.*Removed\..*Removed on/);
});

test("offers spoke admins no action that they may not take, and answers 403", async ({ scene }) => {
  const offered = async (who: SceneRole) => {
    const page = await parsePage(scene, `/spokes/${scene.spoke}`, who);
    return ["Reapply …", "Destroy …"].filter((name) => page.has("link", name));
  };
  assert.equal(await offered("operator"), ["Reapply …", "Destroy …"]);
  assert.equal(await offered("hubAdmin"), ["Destroy …"]);
  assert.equal(await offered("spokeAdmin"), []);
  for (const path of ["destroy", "actions/reapply"]) {
    const page = await parsePage(scene, `/spokes/${scene.spoke}/${path}`, "spokeAdmin");
    assert.is(page.status, 403, path);
    assert.match(page.text, "You are not allowed to do this");
  }
});

test("saves only changed settings, previews them and escapes hostile text", async ({ scene, elm }) => {
  const page = await parsePage(scene, `/spokes/${elm}/settings`, "hubAdmin");
  assert.match(page.text, "Change a field to preview its effect");
  const preview = await page.submit("Preview", { Name: "<b>Elm</b>" });
  assert.match(preview.part("region", "Preview").text, "full name changes from elm to <b>Elm</b>");
  assert.not(preview.html.includes("<b>Elm</b>"));
  assert.equal(await jobs(scene, "configure"), []);
  const done = await preview.submit("Save");
  assert.equal([done.path, done.title], [`/spokes/${elm}?done=asked`, "<b>Elm</b> · Wheelwright"]);
  const [event] = await selectRows(scene.db, "audit_events", { kind: "spoke_updated" }, { columns: ["metadata"] });
  assert.equal(Object.keys(event!.metadata.changed), ["displayName"]);
});

test("shows a refused domain at its field and keeps the values", async ({ scene, elm }) => {
  const { domain } = (await scene.as("operator").get(`/api/spokes/${scene.spoke}`)).body;
  const page = await parsePage(scene, `/spokes/${elm}/settings`, "hubAdmin");
  const refused = await page.submit("Save", { Name: "Elms", Domain: domain });
  assert.equal([refused.status, refused.field("Name").value, refused.field("Domain").value], [409, "Elms", domain]);
  assert.ok(refused.field("Domain").wrong);
  assert.is((await scene.as("operator").get(`/api/spokes/${elm}`)).body.displayName, "elm");
});

test("lets hub admins delegate a spoke and remove the admin, and lets admins leave", async ({ scene }) => {
  const path = `/spokes/${scene.spoke}/members`, page = await parsePage(scene, path, "hubAdmin");
  const bad = await page.submit("Delegate", { "Email address": "nobody", Name: "Bo" });
  assert.equal([bad.status, bad.field("Email address").value, bad.field("Name").value], [400, "nobody", "Bo"]);
  const invited = await bad.submit("Delegate", { "Email address": "bo@school.example" });
  assert.match(invited.text, /Invitation sent by email.*Bo ?bo@school\.example Invited/);
  const removed = await (await invited.follow("Remove bo@school.example")).submit("Remove");
  assert.not.match(removed.text, "bo@school.example");
  const own = await parsePage(scene, path, "spokeAdmin");
  assert.equal([own.has("button", "Delegate"), own.has("link", /Remove/)], [false, false]);
  const left = await (await own.follow("Leave")).submit("Leave");
  assert.match(left.text, "You left");
  assert.is((await parsePage(scene, path, "spokeAdmin")).status, 404);
});

test.run();
