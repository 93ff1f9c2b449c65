/** Tests that nothing counts as deleted when another cluster has the same name. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { enqueueHubRemoval } from "#lib/domains/federations/remove.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import type { Job } from "#lib/jobs/job.ts";
import { findLastRemoval, type RemovalSubject } from "#lib/jobs/removal.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "../workers/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  before: SpokeRow;
  during: SpokeRow;
  /** Points the kubeconfig to the original cluster or to an empty one. */
  lead: (where: "home" | "elsewhere") => void;
  close: () => Promise<void>;
}

const test = suite<Context>("work in a cluster of the same name");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  const simulator = await openSimulator({ delayMs: 5, log: SILENT_LOG });
  const elsewhere = await openCluster({
    name: "default",
    kubeconfig: { text: simulator.kubeconfig() },
    log: SILENT_LOG,
  });
  const home = await scene.app.clusters.open("default");
  let now = home;
  context.lead = (where) => void (now = where === "home" ? home : elsewhere);
  // Each call goes where the kubeconfig leads at that moment, also in the middle of a step.
  const call = (name: keyof Cluster) => (...given: never[]) => (now[name] as (...given: never[]) => unknown)(...given);
  const cluster = new Proxy({} as Cluster, {
    get: (_, name) => name === "name" ? now.name : name === "then" ? undefined : call(name as keyof Cluster),
  });
  const clusters = { clusterFor: () => "default", open: () => Promise.resolve(cluster) };
  const replica = await startReplica({ ...scene.app, clusters });
  context.close = async () => {
    await replica.close();
    await elsewhere.close();
    await simulator.close();
    await scene.close();
  };
  const hub = await scene.hub("math");
  const ids = [await scene.spoke(hub, "before"), await scene.spoke(hub, "during")];
  [context.before, context.during] = await Promise.all(ids.map((id) => scene.becomes(id, "active", "failed"))) as [
    SpokeRow,
    SpokeRow,
  ];
});
test.after(({ close }) => close());

function identityOf(simulator: Simulator): string {
  return simulator.objects("Namespace").find(({ metadata }) => metadata.name === "kube-system")!.metadata.uid!;
}

async function refused({ db }: WorkScene, of: RemovalSubject): Promise<Job> {
  return await until(async () => {
    const job = await findLastRemoval(db.rows, of);
    return job?.failure?.code === "another_cluster" && job;
  }, 30_000);
}

test("reports another cluster during an installation, not a missing namespace.", async ({ scene, lead }) => {
  const fault = scene.simulator.faults.answer(503, { method: "POST", path: "/statefulsets" });
  const id = await scene.spoke(await scene.hub("physics"), "torn");
  await until(async () => (await scene.operations(id))[0]!.failure?.step === "database");
  // An attempt that is already running works on in the original cluster, so the fault has to last until the next one.
  lead("elsewhere");
  const { state, failure } = await scene.ended(id, "provision");
  scene.simulator.faults.remove(fault);
  assert.equal([state, failure!.code, failure!.fault], ["failed", "another_cluster", "operator"]);
  assert.match((await scene.row(id)).stateReason!, /^The cluster \S+ is not the one in which the spoke was created/);
  lead("home");
});

test("pauses a removal until the original cluster is back.", async ({ scene, before, lead }) => {
  assert.is(before.clusterUid, identityOf(scene.simulator));
  lead("elsewhere");
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, before.id));
  const { failure, finishedSteps, progress } = await refused(scene, { spokeId: before.id });
  assert.equal([failure!.fault, finishedSteps, progress.notes], ["operator", [], undefined]);
  assert.match(failure!.message, /^The cluster \S+ is not the one in which the spoke was created/);
  assert.match(failure!.hint!, `DELETE /api/spokes/${before.id}?abandon=true`);
  assert.is((await scene.row(before.id)).state, "removing");
  lead("home");
  await scene.becomes(before.id, "removed");
  const [told] = await selectRows(scene.db, "audit_events", { kind: "spoke_destroyed" }, { columns: ["metadata"] });
  assert.is(told.metadata.snapshots.length, 2);
});

test("ignores a cluster that changes during the deletion of a namespace.", async ({ scene, during, lead }) => {
  await updateRows(scene.db, "spokes", { clusterUid: null }, { id: during.id });
  const stuck = scene.simulator.faults.stuckNamespace(during.namespace);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, during.id));
  await until(async () => /held by/.test((await scene.operations(during.id))[0]!.label));
  assert.is((await scene.row(during.id)).clusterUid, identityOf(scene.simulator));
  lead("elsewhere");
  scene.simulator.faults.remove(stuck);
  const { finishedSteps } = await refused(scene, { spokeId: during.id });
  assert.equal(finishedSteps, ["stop", "snapshot"]);
  assert.is((await scene.row(during.id)).state, "removing");
  lead("home");
  await scene.becomes(during.id, "removed");
});

test("keeps a hub until its own cluster reports the deletion.", async ({ scene, during, lead }) => {
  const id = during.federationId;
  assert.is((await findFederation(scene.db.rows, id, "shown"))!.clusterUid, identityOf(scene.simulator));
  lead("elsewhere");
  await scene.db.transact((tx) => enqueueHubRemoval(tx, scene.actor, id));
  const { failure } = await refused(scene, { federationId: id });
  assert.match(failure!.hint!, `DELETE /api/federations/${id}?abandon=true`);
  assert.is((await findFederation(scene.db.rows, id, "shown"))!.state, "removing");
  lead("home");
  await scene.hubBecomes(id, "removed");
});

test.run();
