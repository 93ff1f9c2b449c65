/** Tests the portal's pages of rollouts: preview, start, pause, resume and abort. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("/rollouts");
test.before.each(async (context) => {
  context.scene = await openScene();
  await updateRows(context.scene.db, "spokes", { state: "active" });
});
test.after.each(({ scene }) => scene.close());

test("previews a plan, keeps it in the form, and starts it once", async ({ scene }) => {
  const form = await parsePage(scene, "/rollouts/new", "hubAdmin");
  assert.not(form.html.includes(">Reapply<"), "only operators can reapply");
  const preview = await form.submit("Preview", {
    Action: "restart",
    "Spokes in each later wave": "2",
    Days: "sat, sun",
  });
  assert.is(preview.status, 400);
  assert.match(preview.text, "must be a time of day such as 22:00");
  const plan = await preview.submit("Preview", { From: "22:00", To: "05:00", "Time zone": "Europe/Berlin" });
  assert.is(plan.status, 200);
  assert.match(plan.text, "Sat, Sun, 22:00 to 05:00, Europe/Berlin");
  assert.is(plan.field("Spokes in each later wave").value, "2");
  assert.equal(await selectRows(scene.db, "rollouts") as unknown[], []);
  const [made, again] = [await plan.submit("Start the rollout"), await plan.submit("Start the rollout")];
  assert.equal([made.status, again.path], [200, made.path]);
  assert.match(made.text, "Rollout started");
  assert.is((await selectRows(scene.db, "rollouts")).length, 1);
});

test("pauses, resumes and aborts", async ({ scene }) => {
  const plan = await (await parsePage(scene, "/rollouts/new", "operator")).submit("Preview", { Action: "restart" });
  const rollout = await plan.submit("Start the rollout");
  const paused = await rollout.submit(/^Pause/);
  assert.match(paused.text, `Paused by ${scene.people.operator.email}`);
  const resumed = await paused.submit(/^Resume/);
  assert.ok(resumed.has("button", /^Pause/));
  const aborted = await resumed.submit(/^Abort/);
  assert.not(aborted.has("button", /Resume|Pause|Abort/));
  assert.match((await parsePage(scene, "/rollouts?state=aborted", "operator")).text, /Restart.*Aborted/);
  assert.match((await parsePage(scene, "/audit", "operator")).text, "The rollout (restart) was aborted");
});

test.run();
