/** Tests that a reapply applies the changed amounts of a size. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import type { SiteSize } from "#lib/moodle/sizes.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { previewSpokeAction } from "#lib/domains/spokes/action-preview.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { until } from "#test/support/until.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";

const test = suite<{ scene: WorkScene; id: string; app: App; amounts: { now: SiteSize }; close: () => Promise<void> }>(
  "a size that has changed",
);
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  const amounts = context.amounts = { now: scene.app.catalog.resourcesOf("small") };
  context.app = { ...scene.app, catalog: { ...scene.app.catalog, resourcesOf: () => amounts.now } };
  const replica = await startReplica(context.app);
  context.close = async () => {
    await replica.close();
    await scene.close();
  };
  context.id = await scene.spoke(await scene.hub("math"), "algebra", "small");
  await scene.becomes(context.id, "active");
});
test.after(({ close }) => close());

/** Returns the size with a larger database, smaller site, other limits and a larger disk. */
function changed(size: SiteSize): SiteSize {
  const { app, database, quota, disks } = size;
  return {
    ...size,
    app: { ...app, limits: { ...app.limits, memory: "896Mi" } },
    database: { ...database, limits: { ...database.limits, memory: "640Mi" } },
    quota: { ...quota, requests: { ...quota.requests, cpu: "950m" }, storage: "44Gi" },
    disks: { ...disks, files: "12Gi" },
  };
}

test("is shown by the dry run and applied by a reapply, except for disks", async ({ scene, app, id, amounts }) => {
  const preview = async () =>
    await previewSpokeAction(
      app,
      scene.actor,
      await scene.row(id),
      { action: "reapply" },
      new AbortController().signal,
    );
  const before = await scene.row(id);
  assert.equal((await preview()).changes, []);
  amounts.now = changed(amounts.now);
  const { changes, notes } = await preview();
  assert.ok(notes.some((note) => note.startsWith("The catalog changed the spoke's size")), notes.join());
  for (
    const [object, to] of [["StatefulSet/db", "640Mi"], ["Deployment/moodle", "896Mi"], ["ResourceQuota/spoke", "44Gi"]]
  ) {
    assert.ok(changes.some((change) => change.object === object && change.to === to), JSON.stringify(changes));
  }
  assert.equal((await scene.row(id)).blueprintInputs, before.blueprintInputs);

  const hard = () => {
    const quotas = scene.simulator.objects("ResourceQuota");
    return quotas.find(({ metadata }) => metadata.namespace === before.namespace)!["spec"].hard;
  };
  const fault = scene.simulator.faults.answer(503, { method: "PATCH", path: "/statefulsets/db" });
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(app, tx, scene.actor, id, { action: "reapply", parameters: {} })
  );
  await until(async () => (await scene.operations(id))[0]!.failure?.step === "database");
  // Of each bound the larger one, for as long as some parts have the one size and some the other.
  assert.equal([hard()["requests.cpu"], hard()["requests.storage"]], ["1", "44Gi"]);
  scene.simulator.faults.remove(fault);
  const job = await scene.ended(id, "reapply");
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.match(readOperationNotes(job).join(), "The CPU, memory or storage of the size small has changed");
  const after = await scene.row(id), { resources } = after.blueprintInputs;
  assert.equal([after.size, after.state], ["small", "active"]);
  assert.equal(resources, { ...amounts.now, disks: before.blueprintInputs.resources.disks });
  const memory = (kind: string) =>
    scene.simulator.objects(kind).find(({ metadata }) => metadata.namespace === after.namespace)!["spec"].template.spec
      .containers[0].resources.limits.memory;
  assert.equal([memory("StatefulSet"), memory("Deployment")], ["640Mi", "896Mi"]);
  assert.is(hard()["requests.cpu"], "950m");
  await lookOnce(app);
  assert.is((await scene.row(id)).drift, null);
  assert.equal((await preview()).changes, []);
});

test("is not applied if it is too small for the site", async ({ scene, app, id, amounts }) => {
  const { resources } = (await scene.row(id)).blueprintInputs;
  amounts.now = { ...amounts.now, quota: { ...amounts.now.quota, limits: { cpu: "1", memory: "1Gi" } } };
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(app, tx, scene.actor, id, { action: "reapply", parameters: {} })
  );
  assert.is((await scene.ended(id, "reapply")).state, "succeeded");
  assert.equal((await scene.row(id)).blueprintInputs.resources, resources);
});

test.run();
