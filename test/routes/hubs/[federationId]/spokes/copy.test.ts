/** Tests the form that copies a spoke, and turning mail on, without JavaScript. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: Scene;
  elm: string;
}

const test = suite<Context>("the form for a copy");
const MAKE = "Create spoke", SHOW = "Preview", WHAT = "Preview";

test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  const input = {
    slug: "elm",
    displayName: "Elm <school>",
    size: "large",
    adminEmail: "head@elm.example",
    identity: true,
  };
  const { body: { id } } = await scene.as("operator").post("/api/federations/north/spokes", input);
  context.elm = id;
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW }, { spokeId: id });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id });
});
test.after.each(({ scene }) => scene.close());

async function plant({ scene: { db }, elm }: Context): Promise<string> {
  const volumes = ["files", "data-db-0"].map((claim) => ({
    claim,
    snapshot: claim,
    handle: claim,
    driver: "csi",
    class: "c",
  }));
  await db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, volumes, ready_at, created_at)
     select 'bak_1', id, federation_id, 'op_1', cluster, namespace, 'nightly', 'ready', $2::jsonb, '2026-11-20T02:00Z',
       '2026-11-20T02:00Z' from spokes where id = $1`,
    [elm, volumes],
  );
  return "bak_1";
}

test("opens from a hub's form, which lists the spokes, and from the spoke's actions", async (context) => {
  const { scene, elm } = context;
  const page = await parsePage(scene, `/hubs/${scene.hub}/spokes/new`, "hubAdmin");
  assert.match(page.field("Copy of").options.join(), /Elm <school>, elm\.spokes\.example\.org/);
  const form = await page.submit("Continue", { "Copy of": elm });
  assert.equal([form.path, form.has("heading", "Copy a spoke")], [`/hubs/${scene.hub}/spokes/new?copyOf=${elm}`, true]);
  assert.not(form.has("field", "Copy of"));
  assert.not(form.has("field", "Moodle"));
  const spoke = await parsePage(scene, `/spokes/${elm}`, "hubAdmin");
  assert.match(spoke.html, `href="/hubs/${scene.hub}/spokes/new?copyOf=${elm}"`);
});

test("starts with the values of the original, previews the copy and creates it once", async (context) => {
  const { scene, elm } = context, backup = await plant(context);
  const form = await parsePage(scene, `/hubs/${scene.hub}/spokes/new?copyOf=${elm}`, "hubAdmin");
  assert.equal(form.field("State to copy").options, [
    "Newest backup, 2026-11-20 02:00 UTC",
    "Current state (takes a backup first)",
  ]);
  assert.is(form.field("Administrator").value, "head@elm.example");
  assert.ok(form.part("radio", /Large/).attribute("checked") !== null);
  assert.ok(form.part("checkbox", "Sign in with the hub's identity provider").attribute("checked") !== null);
  const preview = await form.submit(SHOW, { Slug: "ash" });
  assert.match(preview.part("region", WHAT).text, /Ready to create.*Copy of Elm <school>.*bak_1.*held until/);
  const [made, again] = [await preview.submit(MAKE), await preview.submit(MAKE)];
  assert.match(made.path, /^\/spokes\/spk_\w+\?done=created$/);
  assert.is(again.path, made.path);
  const { body } = await scene.as("hubAdmin").get("/api/spokes/ash.spokes.example.org");
  assert.equal([body.from, body.size, body.identity, body.displayName], [
    { spokeId: elm, backupId: backup },
    "large",
    true,
    "Copy of Elm <school>",
  ]);
  assert.not.match(made.html, "<school>");
});

test("takes a backup first if none exists, and shows problems at the field", async (context) => {
  const { scene, elm } = context;
  const form = await parsePage(scene, `/hubs/${scene.hub}/spokes/new?copyOf=${elm}`, "hubAdmin");
  assert.is(form.field("State to copy").value, "now");
  const small = await form.submit(MAKE, { Slug: "ash", size: "small" });
  assert.is(small.status, 400);
  assert.match(small.html, /Size must have disks as large as those of elm/);
  assert.ok(small.has("heading", "Copy a spoke"));
  const made = await small.submit(MAKE, { size: "large" });
  assert.match(made.path, /done=created$/);
  const { body } = await scene.as("hubAdmin").get("/api/spokes/ash.spokes.example.org");
  const [backup] = await selectRows(scene.db, "backups", { id: body.from.backupId }, { columns: ["state"] });
  assert.is(backup.state, "pending");
});

test("requires access to the original and to the hub", async ({ scene, elm }) => {
  const path = `/hubs/${scene.hub}/spokes/new?copyOf=`;
  assert.is((await parsePage(scene, path + elm, "spokeAdmin")).status, 403);
  assert.is((await parsePage(scene, path + elm, "stranger")).status, 404);
  assert.is((await parsePage(scene, `${path}spk_06fj2c4v7tq0w1x9n3m8k5r2dh`, "hubAdmin")).status, 404);
});

test("creates a spoke that names its original, and whose mail can be turned on", async (context) => {
  const { scene, elm } = context;
  await plant(context);
  const { body: { id } } = await scene.as("hubAdmin").post("/api/federations/north/spokes", {
    slug: "ash",
    copyOf: elm,
  });
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW }, { spokeId: id });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id });
  const page = await parsePage(scene, `/spokes/${id}`, "hubAdmin");
  assert.match(page.html, `<a href="/spokes/${elm}">`);
  assert.match(page.html, "This copy sends no mail.");
  const settings = await parsePage(scene, `/spokes/${id}/settings`, "hubAdmin");
  assert.is(settings.field("Email").value, "held");
  const on = await page.submit("Turn mail on");
  assert.is(on.path, `/spokes/${id}?done=asked`);
  const { body } = await scene.as("hubAdmin").get(`/api/spokes/${id}`);
  assert.equal([body.mail, body.operation.kind, body.displayName], ["on", "configure", "Copy of Elm <school>"]);
});

test.run();
