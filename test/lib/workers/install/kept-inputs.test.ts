/** Tests that a spoke keeps its inputs when blueprint and catalog change. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { builtIn } from "#test/lib/moodle/fixtures.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

const test = suite<{ scene: WorkScene }>("a spoke");
test.before.each(async (context) => void (context.scene = await openWorkScene()));
test.after.each(({ scene }) => scene.close());

const OTHER = "registry.example/other";

/** Returns the app with a changed blueprint: other images and another CronJob. */
function changed(app: App): App {
  const images = builtIn()["images.yaml"]!.replaceAll("erseco/", `${OTHER}/`).replace(
    "postgres:17",
    `${OTHER}/postgres:17`,
  );
  const cron = builtIn()["cron.yaml"]!.replace('"* * * * *"', '"*/5 * * * *"');
  const blueprint = createBlueprint(builtIn({ "images.yaml": images, "cron.yaml": cron }));
  assert.is.not(blueprint.revision, app.blueprint.revision);
  return { ...app, blueprint, catalog: loadCatalog(undefined, blueprint) };
}

async function ask(scene: WorkScene, app: App, id: string, action: SpokeActionName): Promise<void> {
  await scene.db.transact((tx) => checkAndEnqueueAction(app, tx, scene.actor, id, { action, parameters: {} }));
}

test("keeps its inputs in suspend, resume and restart after a change of the blueprint", async ({ scene }) => {
  const first = await startReplica(scene.app);
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  const before = await scene.becomes(id, "active");
  await first.close();
  const app = changed(scene.app), second = await startReplica(app);
  try {
    await ask(scene, app, id, "suspend");
    await scene.becomes(id, "suspended");
    await ask(scene, app, id, "resume");
    await scene.becomes(id, "active");
    await ask(scene, app, id, "restart");
    assert.is((await scene.ended(id, "restart")).state, "succeeded");
  } finally {
    await second.close();
  }
  const after = await scene.row(id);
  assert.equal([after.blueprintRevision, after.blueprintInputs], [
    before.blueprintRevision,
    before.blueprintInputs,
  ]);
  const pulled = scene.simulator.objects("Event").map((event) => String(event["message"])).filter((message) =>
    message.includes("image")
  );
  assert.ok(pulled.some((message) => message.includes("postgres:17-alpine")));
  assert.equal(pulled.filter((message) => message.includes(OTHER)), []);
  assert.is(scene.simulator.objects("CronJob")[0]!["spec"].schedule, "* * * * *");
});

test("is retried with its inputs although the catalog no longer offers them", async ({ scene }) => {
  const fault = scene.simulator.faults.missingImage("erseco/");
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  const { blueprintInputs: inputs } = await scene.becomes(id, "failed");
  scene.simulator.faults.remove(fault);
  const catalog = loadCatalog('versions: ["5.2.2"]\nsizes: [large]', scene.app.blueprint);
  assert.throws(() => catalog.imagesOf("4.5.12"));
  await ask(scene, { ...scene.app, catalog }, id, "retry");
  const row = await scene.becomes(id, "active", "failed");
  assert.equal([row.state, row.blueprintInputs], ["active", inputs]);
});

test("takes its last snapshot with the region's class, and none if the class does not retain", async ({ scene }) => {
  await scene.replica();
  const hub = await scene.hub("math");
  const classes = `${scene.simulator.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses`;
  for (const [name, deletionPolicy] of [["a-first", "Retain"], ["z-kept", "Retain"], ["z-gone", "Delete"]]) {
    const body = {
      apiVersion: "snapshot.storage.k8s.io/v1",
      kind: "VolumeSnapshotClass",
      metadata: { name },
      driver: "simulated.csi.example",
      deletionPolicy,
    };
    const made = await fetch(classes, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.is(made.status, 201);
  }
  for (const [slug, wanted] of [["algebra", "z-kept"], ["biology", "z-gone"]] as const) {
    const id = await scene.spoke(hub, slug);
    await scene.db.sql(
      "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{surroundings,snapshotClass}', to_jsonb($2::text)) where id = $1",
      [id, wanted],
    );
    await scene.becomes(id, "active");
    await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
    await scene.becomes(id, "removed");
    const notes = (await scene.operations(id))[0]!.progress.notes ?? [];
    assert.equal(
      notes,
      slug === "algebra" ? [] : [
        "No last snapshot was taken: " +
        "the cluster has no snapshot class z-gone with the deletion policy Retain for these volumes",
      ],
    );
  }
  const contents = scene.simulator.objects("VolumeSnapshotContent");
  assert.equal(contents.map((each) => each["spec"].volumeSnapshotClassName), ["z-kept", "z-kept"]);
});

test.run();
