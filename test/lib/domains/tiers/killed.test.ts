/** Tests that a tier reaches its sites although replicas are killed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reapply } from "#lib/operations/reapply.ts";
import { wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { LeaseLapsedError } from "#lib/scheduler/stop-reasons.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { selectRows } from "#test/support/rows.ts";
import { addDedicatedNode, createTierHub, DEDICATED, openTierScene, readPods, rollOutTier } from "./scene.ts";

const test = suite("the tier of a hub, while replicas are killed");
const UNREQUESTED = ["plan-backups", "prepare-templates", "probe-sites"];

test("reaches every site once, though a replica dies after each step and another one continues", async () => {
  const scene = await openTierScene(), died: string[] = [];
  const dying = createHandlers(scene.app).filter(({ kind }) => !UNREQUESTED.includes(kind.kind)).map((handler) =>
    !["reapply", "run-rollout"].includes(handler.kind.kind)
      ? handler
      : wrapStepFunctions(handler, (work, step) => async (run) => {
        const name = `${handler.kind.kind} ${step}`;
        await work(run).catch((error) => {
          if (died.includes(name)) throw error; // waiting for an operation also ends a step with an error
        });
        if (died.includes(name)) return;
        died.push(name);
        throw new LeaseLapsedError();
      })
  );
  const options = { handlers: dying, lanes: 64, retry: { firstMs: 50, maxMs: 200 } };
  const replicas = [await openScheduler(scene.app, options), await openScheduler(scene.app, options)];
  try {
    const hub = await createTierHub(scene, "north", "shared"), ids: string[] = [];
    for (const slug of ["ash", "birch"]) ids.push(await scene.spoke(hub, slug));
    for (const id of ids) await scene.becomes(id, "active");
    await addDedicatedNode(scene);
    await waitForRollout(scene, (await rollOutTier(scene, hub, "dedicated"))!, "completed");
    assert.equal(
      died.filter((name) => name.startsWith("reapply")).sort(),
      Object.keys(reapply.plan.steps).map((step) => `reapply ${step}`).sort(),
    );
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
