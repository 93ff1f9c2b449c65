import { suite } from "uvu";
import * as assert from "uvu/assert";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { showPolicy } from "#lib/domains/policy/show.ts";
import { configure } from "#lib/operations/configure.ts";
import { wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { LeaseLapsedError } from "#lib/scheduler/stop-reasons.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { openWorkScene } from "#test/lib/workers/scene.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite("what a hub shares, while replicas are killed");

test("reaches every site once, though a replica dies after each step and another one runs", async () => {
  const scene = await openWorkScene(), died: string[] = [];
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  const dying = createHandlers(scene.app).map((handler) =>
    !["configure", "run-rollout"].includes(handler.kind.kind)
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
    const hub = await scene.hub("north"), ids: string[] = [];
    for (const slug of ["ash", "birch", "cedar", "elm"]) ids.push(await scene.spoke(hub, slug));
    for (const id of ids) await scene.becomes(id, "active");
    const { rollout } = await patchPolicy(scene.app, scene.actor, hub, {
      settings: { language: "de" },
      brand: { color: "#00aa44" },
    });
    await waitForRollout(scene, rollout!, "completed");
    assert.equal(
      died.filter((name) => name.startsWith("configure")).sort(),
      Object.keys(configure.plan.steps).map((step) => `configure ${step}`).sort(),
    );
    assert.ok(died.includes("run-rollout advance"));
    for (const id of ids) {
      const { config } = scene.simulator.site((await scene.row(id)).namespace).database!;
      assert.equal([config!.lang, config!.brandcolor], ["de", "#00aa44"]);
    }
    const jobs = await selectRows(scene.db, "jobs", { kind: "configure" }, { columns: ["spokeId", "state"] });
    assert.equal(jobs.map(({ spokeId }) => spokeId).sort(), [...ids].sort(), "one operation for each spoke");
    const { settings, brand } = (await showPolicy(scene.db.rows, hub.id)).spokes;
    assert.equal([settings.in_sync, brand.in_sync], [4, 4]);
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
    await scene.close();
  }
});

test.run();
