/** Restores all spokes to a new cluster. The rows are from a dump, the cluster has the old name, and the snapshots exist. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { markSpokeLost, retireLostTemplates } from "#lib/domains/backups/lost-cluster.ts";
import { listLostClusterObjects, restoreLostClusterObject } from "#lib/domains/backups/new-cluster.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import { wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { makeApp, openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { applyClusterRole, CLUSTER_ROLE, SERVICE_ACCOUNT } from "#test/support/service-account.ts";
import { copySnapshots } from "#test/support/copy-snapshots.ts";
import { rejection, until } from "#test/support/until.ts";
import { ANN, backUp, readMarks, runAction, runRestore, writeMark } from "./scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  /** The lost cluster. The scene has the new one. */
  former: Simulator;
  app: App;
  ids: Readonly<Record<"busy" | "calm" | "asleep" | "gone" | "bare", string>>;
  close: () => Promise<void>;
}

const test = suite<Context>("a restore to a new cluster");
const NEVER = new Promise<never>(() => {});

test.before(async (context) => {
  const scene = await openWorkScene(), replica = await scene.replica(), { simulator: former } = scene;
  const north = await scene.hub("north"), south = await scene.hub("south");
  const names = [[north, "busy"], [north, "calm"], [south, "asleep"], [south, "gone"], [south, "bare"]] as const;
  const ids = context.ids = {} as Record<keyof Context["ids"], string>;
  for (const [hub, slug] of names) ids[slug] = await scene.spoke(hub, slug); // in the order of the list
  await Promise.all(Object.values(ids).map((id) => scene.becomes(id, "active")));
  for (const name of ["busy", "calm", "asleep"] as const) {
    await writeMark(scene, ids[name], `${name} as it was`);
    await backUp(scene, ids[name]);
    await writeMark(scene, ids[name], `${name} since`);
  }
  const restore = await runRestore(scene, ids.calm); // the spoke has retained volumes and adopted data
  await backUp(scene, ids.calm);
  await updateRows(scene.db, "jobs", { state: "failed" }, { id: restore.id }); // like an interrupted restore
  await runAction(scene, ids.asleep, "suspend");
  await updateRows(scene.db, "spokes", { copyOf: ids.busy }, { id: ids.asleep });
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, ids.gone));
  await scene.becomes(ids.gone, "removed");
  await replica.close();
  // The dump contains one running and one queued operation.
  for (const action of ["backup", "restart"] as const) {
    await scene.db.transact((tx) =>
      checkAndEnqueueAction(scene.app, tx, scene.actor, ids.busy, { action, parameters: {} })
    );
  }
  await scene.db.sql(
    "update jobs set state = 'running', holder = $2, fence = nextval('job_fences'), started_at = now() where kind = 'backup' and spoke_id = $1 and state = 'queued'",
    [ids.busy, replica.replicaId],
  );
  const simulator = await openSimulator({ delayMs: 5, log: SILENT_LOG, authorization: "on" });
  copySnapshots(former, simulator);
  const { app, close } = await makeApp(scene.db, await applyClusterRole(simulator), SILENT_LOG, { CLUSTER_ROLE });
  context.former = former;
  context.scene = { ...scene, app, simulator };
  context.app = app;
  context.close = async () => {
    await close();
    await simulator.close();
    await scene.close();
  };
});
test.after(({ close }) => close());

async function listNames(app: App): Promise<string[]> {
  return (await listLostClusterObjects(app, {})).map(({ hub, spoke, keepReason: left }) =>
    [spoke ? `${hub.slug}/${spoke.slug}` : hub.slug, ...left === null ? [] : [left]].join(": ")
  );
}

/** Returns a replica that hangs after this step of the first provision. */
async function openDyingReplica(app: App, name: string) {
  let dead = false;
  const wrapped = createHandlers(app).map((handler) =>
    handler.kind.kind !== "provision" ? handler : wrapStepFunctions(handler, (work, step) => async (run) => {
      await work(run);
      if (step !== name || dead) return;
      dead = true;
      await NEVER;
    })
  );
  return { replica: await openScheduler(app, { handlers: wrapped, lanes: 8 }), isDead: () => dead };
}

test("lists no lost objects in the same cluster", async ({ scene, former }) => {
  const { app, close } = await makeApp(scene.db, former.kubeconfig(SERVICE_ACCOUNT), SILENT_LOG, { CLUSTER_ROLE });
  assert.equal(await listNames(app), []);
  await close();
});

test("throws while the cluster does not answer", async ({ app, scene }) => {
  const fault = scene.simulator.faults.answer(503, { method: "GET", path: "/namespaces/kube-system" });
  const error = await rejection(listLostClusterObjects(app, {}));
  assert.is(error.name, "ClusterError");
  scene.simulator.faults.remove(fault);
});

test("skips a spoke in removal, and says how to abandon it", async ({ app, scene, ids: { bare } }) => {
  await updateRows(scene.db, "spokes", { state: "removing" }, { id: bare });
  const left = (await listNames(app)).find((each) => each.startsWith("south/bare"));
  assert.match(left!, `the removal fails; abandon it with DELETE /api/spokes/${bare}?abandon=true`);
  await updateRows(scene.db, "spokes", { state: "active" }, { id: bare });
});

test("restores each spoke from its newest backup, hubs first, also after a kill or a failure with retry", async ({ app, scene, ids }) => {
  const before = await scene.row(ids.busy);
  assert.equal(await listNames(app), [
    "north",
    "north/busy",
    "north/calm",
    "south",
    "south/asleep",
    "south/bare: The spoke bare has no backup that is ready",
  ]);
  const lost = await listLostClusterObjects(app, {}), dying = await openDyingReplica(app, "database");
  for (const each of lost.slice(0, 2)) assert.ok(await restoreLostClusterObject(app, ANN, each)); // like a killed command
  assert.is(await restoreLostClusterObject(app, ANN, lost[1]!), null, "nothing is requested twice");
  await until(dying.isDead);
  assert.equal(await listNames(app), [
    "north/calm",
    "south",
    "south/asleep",
    "south/bare: The spoke bare has no backup that is ready",
  ]);
  for (const each of await listLostClusterObjects(app, {})) {
    if (each.keepReason === null) await restoreLostClusterObject(app, ANN, each);
  }
  const fault = scene.simulator.faults.failJob(`${(await scene.row(ids.calm)).namespace}/setup`);
  const successor = await startReplica(app);
  await until(() => successor.ready());
  await updateRows(scene.db, "jobs", { holder: successor.replicaId }, { state: "running" });
  try {
    assert.is((await scene.becomes(ids.calm, "active", "failed")).state, "failed");
    scene.simulator.faults.remove(fault);
    await scene.db.transact((tx) =>
      checkAndEnqueueAction(app, tx, scene.actor, ids.calm, { action: "retry", parameters: {} })
    );
    for (const name of ["busy", "calm", "asleep"] as const) {
      const row = await scene.becomes(ids[name], "active", "failed");
      assert.equal([row.state, row.stateReason], ["active", null]);
      const text = name === "calm" ? "calm as it was" : `${name} as it was`;
      assert.equal(await readMarks(scene, ids[name]), [text, text]);
    }
    const [provision] = await scene.operations(ids.asleep);
    assert.match(readOperationNotes(provision!)[0]!, /^Created from backup/, "the copy keeps its own identity");
    const after = await scene.row(ids.busy);
    for (const field of ["id", "domain", "namespace", "siteIdentifier", "lmsVersion"] as const) {
      assert.is(after[field], before[field], field);
    }
    assert.is.not(after.clusterUid, before.clusterUid);
    const namespaces = scene.simulator.history().filter(({ type, kind, name }) =>
      type === "ADDED" && kind === "Namespace" && name === after.namespace
    );
    assert.is(namespaces.length, 1);
    assert.equal((await scene.row(ids.gone)).state, "removed");
    assert.equal(await selectRows(scene.db, "retained_pvcs", { spokeId: ids.calm }), []);
    assert.equal(await listNames(app), ["south/bare: The spoke bare has no backup that is ready"]);
    const lastBackup = await runAction(scene, ids.calm, "backup");
    assert.is(lastBackup.state, "succeeded");
    assert.is((await runRestore(scene, ids.busy)).state, "succeeded", "its backups can be used in the new cluster");
  } finally {
    await Promise.all([successor.close(), dying.replica.close()]);
  }
});

test("marks a spoke without a backup as failed, and retires the templates of the lost cluster", async (context) => {
  const { app, scene, ids: { bare } } = context,
    [left] = (await listLostClusterObjects(app, { spokeId: bare })).filter(({ spoke }) => spoke);
  await updateRows(scene.db, "spokes", { health: "healthy" }, { id: bare });
  await markSpokeLost(app, ANN, left!.spoke!, left!.keepReason!);
  const row = await scene.row(bare);
  assert.equal([row.state, row.health], ["failed", "unknown"]);
  assert.match(row.stateReason!, /^The cluster no longer exists.*has no backup that is ready/);
  await markSpokeLost(app, ANN, left!.spoke!, left!.keepReason!); // reported once
  const audits = "select count(*)::int as n from audit_events where spoke_id = $1 and kind = 'spoke_action_failed'";
  assert.equal(await scene.db.sql(audits, [bare]), [{ n: 1 }]);
  const here = (await scene.row(context.ids.busy)).clusterUid!;
  for (const uid of ["gone", here]) {
    await scene.db.sql(
      `insert into templates (id, cluster, cluster_uid, storage_class, version, moodle_image, postgres_image, revision, state, error, next_attempt_at)
       values ($1, 'default', $1, '', '4.5.12', 'm', 'p', 'r', 'failed', 'no', now())`,
      [uid],
    );
  }
  await retireLostTemplates(app);
  assert.equal(
    await selectRows(scene.db, "templates", { clusterUid: ["gone", here] }, {
      columns: ["state", "error"],
      orderBy: "state",
    }),
    [
      { state: "failed", error: "no" },
      { state: "retiring", error: null },
    ],
  );
});

test("cancels the operations of the dump with a reason", async ({ scene, ids }) => {
  const cancelled = await selectRows(scene.db, "jobs", { spokeId: ids.busy, state: "cancelled" }, {
    columns: ["kind", "state"],
    orderBy: "kind",
  });
  assert.equal(cancelled, [{ kind: "backup", state: "cancelled" }, { kind: "restart", state: "cancelled" }]);
  const audits = await scene.db.sql(
    "select metadata ->> 'reason' as reason, actor_email from audit_events where kind = 'operation_cancelled' and spoke_id = $1",
    [ids.busy],
  );
  assert.is(audits.length, 2);
  assert.equal(audits[0], {
    reason: "the cluster no longer exists, and a restore to a new cluster was requested",
    actorEmail: "ann@control",
  });
});

test("records the requester and the backup in the audit log", async ({ scene, ids }) => {
  const [backup] = await selectRows(scene.db, "backups", { spokeId: ids.asleep }, { columns: ["id"] });
  const [audits] = await scene.db.sql(
    "select actor_email, metadata from audit_events where kind = 'spoke_actioned' and spoke_id = $1 and metadata ? 'newCluster'",
    [ids.asleep],
  );
  const { operationId: _, ...metadata } = audits.metadata;
  assert.equal([audits.actorEmail, metadata], [
    "ann@control",
    { action: "restore", newCluster: true, backupId: backup.id, from: "suspended", slug: "asleep" },
  ]);
});

test.run();
