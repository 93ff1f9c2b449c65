/** Tests installations that were killed: the incomplete data is detected, reset and installed again, or reported. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const test = suite<{ scene: WorkScene; id: string }>("a killed install");

test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene(200); // leaves time to kill pods
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
});
test.after.each(({ scene }) => scene.close());

/** Waits for a running container of a pod whose name begins so, and deletes the pod. */
async function kill(scene: WorkScene, prefix: string, container: string, query = ""): Promise<void> {
  const pod = await until(() =>
    scene.simulator.objects("Pod").find((each) =>
      each.metadata.name.startsWith(prefix) && runs(each, container) && !each.metadata.deletionTimestamp
    )
  );
  const { namespace, name } = pod.metadata;
  const address = `${scene.simulator.url}/api/v1/namespaces/${namespace}/pods/${name}${query}`;
  assert.ok((await fetch(address, { method: "DELETE" })).ok);
}

function runs({ status }: KubeObject, container: string): boolean {
  return status?.containerStatuses?.some((each: { name: string; ready: boolean; state: { running?: unknown } }) =>
    each.name === container && each.state.running && !each.ready
  );
}

async function retry(scene: WorkScene, id: string): Promise<void> {
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "retry", parameters: {} })
  );
}

function jobs(scene: WorkScene, ...kinds: string[]): string[] {
  return scene.simulator.objects("Job").map(({ metadata }) => metadata.name).filter((name) =>
    kinds.includes(name.split("-")[0]!)
  ).map((name) => name.split("-")[0]!).sort();
}

/** Deletes finished Jobs, as the cluster does after a day. */
async function clearJobs(scene: WorkScene, namespace: string): Promise<void> {
  const address = `${scene.simulator.url}/apis/batch/v1/namespaces/${namespace}/jobs`;
  for (const { metadata } of scene.simulator.objects("Job").filter((job) => job.metadata.namespace === namespace)) {
    await fetch(`${address}/${metadata.name}?propagationPolicy=Background`, { method: "DELETE" });
  }
  await until(() => scene.simulator.objects("Job").every(({ metadata }) => metadata.namespace !== namespace));
}

test("is reset and repeated after a kill in the middle of its tables", async ({ scene, id }) => {
  await kill(scene, "install-", "moodle");
  assert.is((await scene.becomes(id, "active", "failed")).state, "failed");
  await retry(scene, id);
  const row = await scene.becomes(id, "active", "failed");
  assert.equal([row.state, jobs(scene, "install", "reset")], ["active", ["install", "install", "reset"]]);
  assert.match(row.siteIdentifier!, /\w{8,}/);
});

test("is detected by its database after its Jobs were deleted", async ({ scene, id }) => {
  await kill(scene, "install-", "moodle");
  const { namespace } = await scene.becomes(id, "failed");
  await clearJobs(scene, namespace);
  await retry(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  assert.equal(jobs(scene, "install", "reset"), ["install", "reset"]);
});

test("is reset again after the reset was killed too", async ({ scene, id }) => {
  await kill(scene, "install-", "moodle");
  const { namespace } = await scene.becomes(id, "failed");
  await retry(scene, id);
  await kill(scene, "reset-", "files");
  assert.is((await scene.becomes(id, "active", "failed")).state, "failed");
  // Only a comment in the empty database shows the failed reset. Without another, the next install would fail.
  await clearJobs(scene, namespace);
  await retry(scene, id);
  assert.is((await scene.becomes(id, "active", "failed")).state, "active");
  assert.equal(jobs(scene, "install", "reset"), ["install", "reset"]);
});

test("fails with the server's message if the database server was killed first", async ({ scene, id }) => {
  await kill(scene, "db-0", "postgres", "?gracePeriodSeconds=0"); // as its node does when it dies
  const row = await scene.becomes(id, "active", "failed");
  assert.is(row.state, "failed");
  assert.match(row.stateReason!, 'FATAL:  database "moodle" does not exist');
  assert.is((await scene.operations(id))[0]!.failure!.step, "database");
  assert.equal(jobs(scene, "install", "reset", "verify"), []);
});

test.run();
