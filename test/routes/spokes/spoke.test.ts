import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { retainPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { saveSnapshotClasses } from "#lib/domains/backups/store.ts";
import { parsePage } from "#test/support/page.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("the pages of a spoke");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const FAILURE = {
  step: "app",
  code: "BackoffLimitExceeded",
  fault: "operator",
  message: "Moodle does not start <i>. The image is missing",
  hint: "Push it; then retry.",
  log: ["<script>alert(1)</script>", "no such image"],
  events: [],
};

/** Creates a suspension whose first step took 65 seconds, and whose second one has run for 65 seconds. */
async function suspension(scene: Scene): Promise<string> {
  const { body } = await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`, { action: "suspend" });
  const holder = createId("rep");
  await scene.db.rows.insertInto("replicas").values({ id: holder, release: "test" }).execute();
  await scene.db.sql(
    `update jobs set state = 'running', holder = $2, started_at = now - interval '130 s', finished_steps = step_names[1:1],
       label = 'Stopping Moodle', attempt = 1, step_times = jsonb_build_object(step_names[1], now - interval '65 s')
       from (select wheelwright_now() as now) as clock where id = $1`,
    [body.operation.id, holder],
  );
  return body.operation.id;
}

test("show each step with its duration, and the running one", async ({ scene }) => {
  const operation = await suspension(scene);
  for (const path of [`/spokes/${scene.spoke}`, `/spokes/${scene.spoke}/operations/${operation}`]) {
    const page = await parsePage(scene, path, "spokeAdmin"), steps = page.part("listitem", /^Stopping Moodle/);
    assert.match(page.part("listitem", /^Pausing scheduled tasks/).text, /: done ?1 min 05 s/);
    assert.match(steps.text, /: running ?1 min \d\d s/);
    assert.is(steps.attribute("aria-current"), "step");
    assert.match(page.part("listitem", /^Stopping the database/).text, /: not started$/);
    assert.match(page.html, `data-hub="${scene.hub}"`);
  }
});

test("show the cause and the hint at the failed step, escaped", async ({ scene }) => {
  const operation = await suspension(scene);
  await scene.db.sql(
    "update jobs set state = 'failed', holder = null, finished_at = wheelwright_now(), failure = $2::text::jsonb where id = $1",
    [operation, JSON.stringify(FAILURE)],
  );
  await updateRows(scene.db, "spokes", { state: "failed" }, { id: scene.spoke });
  const page = await parsePage(scene, `/spokes/${scene.spoke}`, "hubAdmin");
  const step = page.part("listitem", /^Stopping Moodle/).text;
  assert.match(step, /: failed.*Moodle does not start <i>\. The image is missing\. Push it; then retry\./);
  assert.match(step, "<script>alert(1)</script> no such image");
  assert.not(page.html.includes("<script>alert"));
  assert.match(page.part("region", "Suspend").text, "Failed Try again");
  const refused = await page.submit("Try again");
  assert.is(refused.status, 409);
  assert.match(refused.text, "only a failed install or upgrade can be retried");
});

test("answer 404 for an operation of another spoke", async ({ scene }) => {
  const { body } = await scene.as("operator").post(`/api/federations/${scene.hub}/spokes`, { slug: "elm" });
  const page = await parsePage(scene, `/spokes/${scene.spoke}/operations/${body.operation.id}`, "operator");
  assert.is(page.status, 404);
  assert.is((await parsePage(scene, `/spokes/${body.id}/operations/${body.operation.id}`, "operator")).status, 200);
});

test("show operators the details of a removed spoke, without actions", async ({ scene }) => {
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: scene.spoke });
  const page = await parsePage(scene, `/spokes/${scene.spoke}`, "operator");
  assert.match(page.text, /Removed.*Removed on/);
  assert.equal(page.part("navigation", "oak").all("link"), ["Overview", "Operations", "Activity", "Backups"]);
  assert.equal([page.has("link", "Destroy …"), page.has("link", "Sign in to the site")], [false, false]);
  assert.is((await parsePage(scene, `/spokes/${scene.spoke}/backups`, "operator")).status, 200);
  assert.is((await parsePage(scene, `/spokes/${scene.spoke}`, "spokeAdmin")).status, 404);
});

test("show drift, and who can revert it", async ({ scene }) => {
  const drift = {
    objects: [{ object: "Deployment/moodle", what: "changed", fields: ["spec.replicas"] }],
    revision: null,
  };
  await scene.db.sql("update spokes set drift = $2::text::jsonb where id = $1", [scene.spoke, JSON.stringify(drift)]);
  const page = await parsePage(scene, `/spokes/${scene.spoke}`, "operator");
  assert.match(page.part("region", "Health and drift").text, /Deployment\/moodle was changed spec\.replicas/);
  assert.is(page.part("region", "Health and drift").link("Reapply …"), `/spokes/${scene.spoke}/actions/reapply`);
  const own = (await parsePage(scene, `/spokes/${scene.spoke}`, "spokeAdmin")).part("region", "Health and drift");
  assert.not(own.has("link", "Reapply …"));
  assert.match(own.text, "An operator can revert these changes");
});

test("chart the activity, with the same numbers in a table, and page to older events", async ({ scene }) => {
  await scene.db.sql(
    `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip, user_agent, at,
       federation_id, spoke_id, customer_visible)
     select 'evt_' || lpad(n::text, 26, '0'), case when n % 20 = 0 then 'spoke_action_failed' else 'spoke_actioned' end,
       'system', 'system', 'spoke', $1, '{"action": "restart", "slug": "oak"}', '', '',
       wheelwright_now() - n * interval '6 hours', $2, $1, true from generate_series(1, 60) n`,
    [scene.spoke, scene.hub],
  );
  const page = await parsePage(scene, `/spokes/${scene.spoke}/activity`, "spokeAdmin");
  assert.match(page.all("img").at(-1)!, /^50 events from .* 2 failures; at most \d+ per 12 hours$/);
  const rows = page.part("region", "Events over time").table().slice(1),
    sum = (column: number) => rows.reduce((total, cells) => total + Number(cells[column]), 0);
  assert.equal([sum(1), sum(2)], [50, 2]);
  assert.is(page.all("listitem").filter((each) => each.startsWith("Action restart failed on spoke oak")).length, 2);
  const next = await page.follow("Older");
  assert.match(next.text, "10 events");
  assert.not(next.has("link", "Older"));
});

test("show each backup's state and size and the schedule, and take a backup", async ({ scene }) => {
  const { db, spoke, hub } = scene, about = { spokeId: spoke, federationId: hub, cluster: "default", namespace: "n" };
  const take = async (state: "ready" | "failed", hours: number) => {
    const at = new Date((await db.now()).getTime() - hours * 3_600_000), ready = state === "ready";
    await db.rows.insertInto("backups").values({
      id: createId("bak"),
      operationId: createId("op"),
      ...about,
      kind: "nightly",
      state,
      error: ready ? null : "the storage is full",
      sizeBytes: ready ? 3 * 2 ** 30 : null,
      createdAt: at,
      readyAt: ready ? at : null,
      failedAt: ready ? null : at,
    }).execute();
  };
  const none = await parsePage(scene, `/spokes/${spoke}/backups`, "spokeAdmin");
  assert.match(none.text, /Backups are not available.*Checking whether.*No backups yet/);
  assert.not(none.has("button", "Back up now"));
  await saveSnapshotClasses(db.rows, "default", [{ name: "snap", driver: "csi.example.org" }]);
  await take("ready", 30);
  await take("failed", 5);
  const page = await parsePage(scene, `/spokes/${spoke}/backups`, "spokeAdmin");
  assert.match(page.text, /The last backup failed on .* the storage is full/);
  assert.equal(page.part("region", "Backups").all("listitem").map((each) => /Failed|3 GiB Ready/.exec(each)?.[0]), [
    "Failed",
    "3 GiB Ready",
  ]);
  assert.match(page.part("region", "Schedule and retention").text, /every night at .*7 daily, 4 weekly and 6 monthly/);
  assert.match(page.part("region", "How a restore works").text, "Only operators can restore a backup");
  assert.not.match(page.text, "Volumes from before a restore");
  const claims = [{ claim: "data-db-0", uid: "1" }, { claim: "files", uid: "2" }];
  await db.transact((tx) => retainPvcs(tx, { spokeId: spoke, operationId: "op_1", reason: "replaced" }, claims));
  const backups = await parsePage(scene, `/spokes/${spoke}/backups`, "operator");
  assert.match(
    backups.part("region", "Volumes from before a restore").text,
    /data-db-0 .*from .*until .*files .*from .*until/,
  );
  assert.match(backups.part("region", "How a restore works").text, `wheelwright restore ${spoke} --backup …`);
  assert.match((await page.submit("Back up now")).text, /Backup Queued.*Taking snapshots/);
});

test("show passed and failed restore tests with their counts", async ({ scene }) => {
  const { db, spoke, hub } = scene, at = new Date("2026-11-20T05:00:00.000Z");
  const take = (more: object) =>
    db.rows.insertInto("backups").values({
      ...{ id: createId("bak"), operationId: createId("op"), spokeId: spoke, federationId: hub, cluster: "default" },
      ...{ namespace: "n", kind: "nightly", state: "ready", error: null, createdAt: at, readyAt: at, ...more },
    }).execute();
  const verification = JSON.stringify({ courses: 41, users: 1280, seconds: 96, compared: true, files: 5120 });
  await take({ verifiedAt: at, verification });
  await take({ createdAt: new Date(), verificationError: "its database belongs to another site" });
  await saveSnapshotClasses(db.rows, "default", [{ name: "snap", driver: "csi.example.org" }]);
  await updateRows(db, "spokes", { verifiedAt: at.toISOString(), unverifiedSince: at.toISOString(), state: "active" });
  const page = await parsePage(scene, `/spokes/${spoke}/backups`, "spokeAdmin");
  const [newest, proved] = page.part("region", "Backups").all("listitem");
  assert.match(newest!, "its database belongs to another site");
  assert.match(
    proved!,
    /Restore test passed on 20 Nov 2026, 05:00 UTC in 2 min: 41 courses, 1,280 users, all 5,120 uploaded files; same counts as at the time of the backup/,
  );
  assert.match(page.text, /The last restore test failed on .*Last passed restore test: 20 Nov 2026/);
  const fleet = await parsePage(scene, "/hubs", "operator");
  assert.match(fleet.text, /Least recently tested spoke: 20 Nov 2026.*backup of 1 spoke failed the restore test/);
  assert.match((await parsePage(scene, `/hubs/${hub}`, "operator")).text, /Least recently tested spoke: 20 Nov 2026/);
});

test("answer 404 for spokes of others", async ({ scene }) => {
  const { db, people } = scene,
    elm = await insertSpoke(db, people.operator.id, await insertHub(db, people.operator.id), "elm");
  for (
    const path of [
      "",
      "/activity",
      "/backups",
      "/members",
      "/settings",
      "/operations",
      "/sign-in-link",
      "/actions/backup",
    ]
  ) {
    assert.is((await parsePage(scene, `/spokes/${elm}${path}`, "spokeAdmin")).status, 404, path);
    assert.is((await parsePage(scene, `/spokes/${scene.spoke}${path}`, "spokeAdmin")).status, 200, path);
  }
});

test.run();
