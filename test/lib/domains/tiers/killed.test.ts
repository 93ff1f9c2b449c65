/** Tests that a tier reaches its sites although replicas are killed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reapply } from "#lib/operations/reapply.ts";
import { listSteps, openDyingReplicas } from "#test/lib/workers/dying-replicas.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { selectRows } from "#test/support/rows.ts";
import { addDedicatedNode, createTierHub, DEDICATED, openTierScene, readPods, rollOutTier } from "./scene.ts";

const test = suite("the tier of a hub, while replicas are killed");

test("reaches every site once, though a replica dies after each step and another one continues", async () => {
  const scene = await openTierScene(), died: string[] = [];
  const replicas = await openDyingReplicas(scene, ["reapply", "run-rollout"], died);
  try {
    const hub = await createTierHub(scene, "north", "shared"), ids: string[] = [];
    for (const slug of ["ash", "birch"]) ids.push(await scene.spoke(hub, slug));
    for (const id of ids) await scene.becomes(id, "active");
    await addDedicatedNode(scene);
    await waitForRollout(scene, (await rollOutTier(scene, hub, "dedicated"))!, "completed");
    assert.equal(died.filter((name) => name.startsWith("reapply")).sort(), listSteps(reapply));
    assert.ok(died.includes("run-rollout advance"));
    for (const id of ids) {
      const row = await scene.row(id);
      assert.equal([row.state, row.blueprintRevision], ["active", scene.app.blueprint.revision]);
      assert.equal(row.blueprintInputs.tier, DEDICATED);
      for (const spec of await readPods(scene, id)) assert.equal(spec.nodeSelector, DEDICATED.nodeSelector);
    }
    const jobs = await selectRows(scene.db, "jobs", { kind: "reapply" }, { columns: ["spokeId", "state"] });
    assert.equal(jobs.map(({ spokeId }) => spokeId).sort(), [...ids].sort(), "one operation for each spoke");
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
    await scene.close();
  }
});

test.run();
