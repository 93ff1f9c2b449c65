/** Kills the run of a copy in each step, after its work and before it is recorded. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { provision } from "#lib/operations/provision.ts";
import { wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { LeaseLapsedError } from "#lib/scheduler/stop-reasons.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { openWorkScene } from "#test/lib/workers/scene.ts";
import { addSiteContents, siteContentsOf, siteSecretsOf } from "#test/support/sites.ts";
import { until } from "#test/support/until.ts";
import { copy, type CopyScene, sourcesOf } from "./copy-scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<CopyScene>("a copy whose holder dies");

test("resumes after a kill in each step, without lost, duplicate or shared objects", async () => {
  const scene = await openWorkScene(), died: string[] = [];
  let source: string | null = null;
  const dying = createHandlers(scene.app).map((handler) =>
    handler.kind.kind !== "provision" ? handler : wrapStepFunctions(handler, (work, step) => async (run) => {
      await work(run);
      source ??= run.job.spokeId; // it is there before there is a copy
      if (run.job.spokeId === source || died.includes(step)) return;
      died.push(step);
      throw new LeaseLapsedError();
    })
  );
  const replica = await openScheduler(scene.app, { handlers: dying, lanes: 64, retry: { firstMs: 50, maxMs: 200 } });
  try {
    const id = await scene.spoke(await scene.hub("math"), "algebra"), { simulator } = scene;
    const { namespace } = await scene.becomes(id, "active");
    addSiteContents(simulator, namespace);
    const context = { scene, id, namespace };
    const before = siteContentsOf(simulator, namespace), own = Object.values(siteSecretsOf(simulator, namespace));
    const made = await copy(context, { copyBackup: "now" });
    await until(async () => ["active", "failed"].includes((await scene.row(made)).state), 120_000);
    const row = await scene.row(made);
    assert.is(row.state, "active", row.stateReason!);
    assert.equal(died, Object.keys(provision.plan.steps));
    assert.equal(siteContentsOf(simulator, row.namespace), { ...before, title: "Copy of algebra" });
    const shared = Object.entries(siteSecretsOf(simulator, row.namespace)).filter(([, value]) => own.includes(value));
    assert.equal(shared, []);
    assert.equal(sourcesOf(scene), []);
    const claims = simulator.objects("PersistentVolumeClaim").map(({ metadata }) => metadata.namespace);
    assert.equal(claims.sort(), [namespace, namespace, row.namespace, row.namespace].sort());
    assert.is((await selectRows(scene.db, "audit_events", { kind: "spoke_provisioned" })).length, 2);
    assert.is((await selectRows(scene.db, "backups")).length, 1);
  } finally {
    await replica.close();
    await scene.close();
  }
});

test.run();
