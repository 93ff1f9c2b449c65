/** Copies of a spoke: the same courses and people, and a site of its own. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findFederation } from "#lib/domains/federations/store.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { openWorkScene, type WorkScene } from "#test/lib/work/scene.ts";

const test = suite<{ scene: WorkScene; id: string }>("a copy");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(context.id, "active");
});
test.after(({ scene }) => scene.close());

test("smoke", async ({ scene, id }) => {
  const { namespace, federationId } = await scene.row(id);
  const hub = (await findFederation(scene.db.rows, federationId, "shown"))!;
  const copy = await createSpoke(scene.app, scene.actor, hub, { slug: "copy", copyOf: id, copyBackup: "now" } as never, null);
  console.log(JSON.stringify(copy, null, 1));
  const row = await scene.becomes(copy.id, "active", "failed");
  console.log(row.state, row.stateReason, (await scene.operations(copy.id)).map((j) => [j.label, j.progress, j.attempt]));
  console.log(JSON.stringify([scene.simulator.site(namespace), scene.simulator.site(row.namespace)], null, 1));
  assert.is(row.state, "active");
});

test.run();
