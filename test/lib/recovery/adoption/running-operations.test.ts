/** Tests that a site whose installation was running is adopted as failed, and that retry continues it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  listTemplates,
  openSceneWithTemplate,
  retrySpoke,
  type TemplateScene,
} from "#test/lib/workers/templates/scene.ts";
import { until } from "#test/support/until.ts";
import { listReconcileFindings, saveDatabase } from "./restored-database.ts";

const test = suite<TemplateScene>("an installation that was running when the database was lost");
test.after.each(({ scene }) => scene.close());

test("continues with a retry after the volumes were created from a template", async (context) => {
  let replica = await openSceneWithTemplate(context);
  const { scene, hub } = context;
  await replica.close();
  const goBack = await saveDatabase(scene.db);
  const fault = scene.simulator.faults.add({ type: "crash", name: "db-", log: ["no luck"], exitCode: 1 });
  replica = await scene.replica();
  const id = await scene.spoke(hub, "second");
  await until(async () => (await scene.operations(id))[0]!.finishedSteps.includes("volumes"));
  await replica.close();
  const { namespace, blueprintInputs } = await scene.row(id);
  const claims = () =>
    scene.simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ metadata }) => metadata.uid).sort();
  const pvcs = claims();
  await goBack();
  scene.simulator.faults.remove(fault);

  const lines = await listReconcileFindings(scene.app, { apply: true });
  assert.ok(lines.some((line) => line.startsWith(`✓ spoke: math/second (${id})`)), lines.join("\n"));
  const adopted = await scene.row(id);
  assert.equal([adopted.state, adopted.blueprintInputs.origin], ["failed", blueprintInputs.origin]);
  await scene.replica();
  await retrySpoke(scene, id);
  const { state, stateReason, siteIdentifier } = await scene.becomes(id, "active", "failed");
  assert.is(state, "active", stateReason!);
  assert.equal(claims(), pvcs);
  assert.is(scene.simulator.site(namespace).database!.config!.siteidentifier, siteIdentifier);
  assert.is((await listTemplates(scene))[0]!.state, "ready");
});

test.run();
