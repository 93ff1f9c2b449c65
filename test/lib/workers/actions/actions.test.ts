import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { deleteAsAdmin } from "#test/support/service-account.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("actions");
test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  await scene.becomes(context.id, "active");
});
test.after.each(({ scene }) => scene.close());

async function ask(scene: WorkScene, id: string, action: SpokeActionName): Promise<void> {
  await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters: {} }));
}

async function podsOf(scene: WorkScene, id: string): Promise<string[]> {
  const { namespace } = await scene.row(id);
  return scene.simulator.objects("Pod").filter((pod) =>
    pod.metadata.namespace === namespace && ["app", "db"].includes(pod.metadata.labels?.["role"] ?? "") &&
    !["Succeeded", "Failed"].includes(pod["status"]?.phase)
  ).map(({ metadata }) => metadata.uid!);
}

test("suspend waits until no pod is left, and resume starts the same site", async ({ scene, id }) => {
  const before = await scene.row(id);
  await ask(scene, id, "suspend");
  await scene.becomes(id, "suspended");
  assert.equal(await podsOf(scene, id), []);
  const [cron] = scene.simulator.objects("CronJob").filter(({ metadata }) => metadata.namespace === before.namespace);
  assert.is(cron!["spec"].suspend, true);
  await ask(scene, id, "resume");
  const after = await scene.becomes(id, "active");
  assert.equal([after.siteIdentifier, after.stateReason], [before.siteIdentifier, null]);
  assert.is((await podsOf(scene, id)).length, 2);
  const kinds = await scene.db.sql(
    "select kind, metadata->>'action' as action from audit_events where spoke_id = $1 order by at",
    [
      id,
    ],
  );
  assert.equal(kinds.slice(-4).map(({ kind, action }) => `${kind} ${action}`), [
    "spoke_actioned suspend",
    "spoke_action_succeeded suspend",
    "spoke_actioned resume",
    "spoke_action_succeeded resume",
  ]);
});

test("resume waits for a running suspend", async ({ scene, id }) => {
  await ask(scene, id, "suspend");
  await ask(scene, id, "resume");
  const job = await scene.ended(id, "resume");
  assert.is(job.state, "succeeded");
  assert.is((await scene.row(id)).state, "active");
  const types = await scene.db.sql(
    "select distinct on (number) type from stream_events where spoke_id = $1 order by number",
    [
      id,
    ],
  );
  const order = ["SpokeUpdateSuspending", "SpokeUpdateSuspended", "SpokeUpdateResuming"].map((type) =>
    types.findIndex((row) => row.type === type)
  );
  assert.equal(order.toSorted((a, b) => a - b), order);
  assert.ok(order[0]! >= 0);
});

test("restart replaces the site's pod once", async ({ scene, id }) => {
  const before = await podsOf(scene, id);
  await ask(scene, id, "restart");
  await scene.becomes(id, "updating", "active");
  assert.is((await scene.ended(id, "restart")).state, "succeeded");
  assert.is((await scene.row(id)).state, "active");
  const after = await podsOf(scene, id);
  assert.equal([after.length, after.filter((uid) => before.includes(uid)).length], [2, 1]);
});

test("resume refuses to start a site on an empty database", async ({ scene, id }) => {
  const { namespace } = await scene.row(id);
  await ask(scene, id, "suspend");
  await scene.becomes(id, "suspended");
  const metadata = { name: "data-db-0", namespace };
  await deleteAsAdmin(scene.simulator, { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata });
  await ask(scene, id, "resume");
  const job = await scene.ended(id, "resume");
  assert.equal([job.state, job.failure!.step], ["failed", "verify"]);
  const row = await scene.row(id);
  assert.match(row.stateReason!, "no longer contains an installed site");
  const [moodle] = scene.simulator.objects("Deployment").filter(({ metadata }) => metadata.namespace === namespace);
  assert.is(moodle!["spec"].replicas, 0);
  const audits = await selectRows(scene.db, "audit_events", { kind: "spoke_action_failed" }, { columns: ["metadata"] });
  assert.equal(audits.map(({ metadata }) => [metadata.action, metadata.step]), [["resume", "verify"]]);
});

test("a failed restart has the hint to request it again", async ({ scene, id }) => {
  const { namespace } = await scene.row(id), metadata = { name: "moodle", namespace };
  await deleteAsAdmin(scene.simulator, { apiVersion: "apps/v1", kind: "Deployment", metadata });
  await ask(scene, id, "restart");
  const { state, failure } = await scene.ended(id, "restart");
  assert.is(state, "failed");
  assert.match(failure!.hint!, /, then request the action restart again\.$/);
  assert.is(await ask(scene, id, "retry").then(() => "taken", (fault) => fault.code), "spoke_state");
  await ask(scene, id, "restart");
});

test("a failed action leaves the spoke in its observed state", async ({ scene, id }) => {
  scene.simulator.faults.answer(403, { method: "PATCH", path: "/cronjobs/" });
  await ask(scene, id, "suspend");
  assert.is((await scene.ended(id, "suspend")).state, "failed");
  const row = await scene.row(id);
  assert.equal([row.state, row.health], ["active", "healthy"]);
  assert.ok(row.stateReason);
});

test.run();
