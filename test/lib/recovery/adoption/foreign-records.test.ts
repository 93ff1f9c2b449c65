/** Tests that reconcile trusts no foreign records, overwrites no rows, and can be repeated. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { byHand } from "#test/lib/workers/sweep/checks.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { listReconcileFindings, saveDatabase, writeSiteRecords } from "./restored-database.ts";
import { RELEASE } from "#test/support/release.ts";
import { until } from "#test/support/until.ts";
import { deleteRows, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  hub: FederationRow;
  /** Two spokes that are only in the cluster. */
  ids: Record<"ash" | "elm", string>;
  names: Record<"ash" | "elm", string>;
}

/** A namespace name that this release could have created. */
const FORGED = `spoke-${RELEASE}-forged`;

const test = suite<Context>("reconcileDatabase");

test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene(), replica = await scene.replica();
  const { id } = context.hub = await scene.hub("north");
  await scene.hubBecomes(id, "active");
  const goBack = await saveDatabase(scene.db);
  const ids = context.ids = { ash: await scene.spoke(context.hub, "ash"), elm: await scene.spoke(context.hub, "elm") };
  const [ash, elm] = [await scene.becomes(ids.ash, "active"), await scene.becomes(ids.elm, "active")];
  context.names = { ash: ash.namespace, elm: elm.namespace };
  await replica.close();
  await writeSiteRecords(scene.app);
  await goBack();
});
test.after.each(({ scene }) => scene.close());

async function spokes({ db }: WorkScene): Promise<string[]> {
  return (await db.sql("select slug from spokes where state <> 'removed' order by slug")).map(({ slug }) => slug);
}

async function post(scene: WorkScene, path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${scene.simulator.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(object),
  });
  assert.ok(answer.ok, await answer.text());
}

function findRecord(scene: WorkScene, namespace: string): KubeObject {
  return scene.simulator.objects("ConfigMap").find(({ metadata }) =>
    metadata.name === "wheelwright" && metadata.namespace === namespace
  )!;
}

test("ignores namespaces of another installation, except those that an operator accepts", async ({ scene, names }) => {
  const [{ id }] = await scene.db.sql(
    "update installation set id = 'ins_other', key = 'another' returning (select id from installation)",
  );
  const lines = await listReconcileFindings(scene.app, { apply: true });
  assert.match(lines.join("\n"), `! spoke: 2 namespaces of installation ${id}: `);
  assert.match(lines.join("\n"), "→ These namespaces are not changed. To adopt one anyway, add --adopt NAMESPACE");
  assert.equal(await spokes(scene), []);
  await listReconcileFindings(scene.app, { apply: true, acceptedNamespaces: [names.ash] });
  assert.equal(await spokes(scene), ["ash"]);
});

test("rejects a forged namespace with a copied site record", async ({ scene, names }) => {
  const labels = scene.simulator.objects("Namespace").find(({ metadata }) => metadata.name === names.elm)!.metadata
    .labels!;
  const forged = { ...labels, "wheelwright.dev/spoke": "spk_06fj2c4v7tq0w1x9n3m8k5r2dg" };
  await post(scene, "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: FORGED, labels: forged },
  });
  const { data, metadata } = findRecord(scene, names.elm);
  const carried = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: metadata.name, labels: metadata.labels },
    data,
  };
  await post(scene, `/api/v1/namespaces/${FORGED}/configmaps`, carried);
  const lines = await listReconcileFindings(scene.app, { apply: true });
  assert.match(
    lines.join("\n"),
    `! spoke: Namespace ${FORGED} has the label of a spoke that is not in the database, and has a site record ` +
      `that this installation did not sign → The namespace is not changed. To adopt it, add --adopt ${FORGED}`,
  );
  assert.equal(await spokes(scene), ["ash", "elm"]);
  const accepted = await listReconcileFindings(scene.app, { apply: true, acceptedNamespaces: [FORGED] });
  assert.match(accepted.join("\n"), "and has a site record that does not match its labels");
  assert.equal(await spokes(scene), ["ash", "elm"]);
});

test("rejects changed and missing site records", async ({ scene, hub, names }) => {
  const { data } = findRecord(scene, names.elm), record = JSON.parse(data.record);
  const changed = JSON.stringify({ ...record, domain: "bank.example" });
  await byHand(scene.simulator.url, `/api/v1/namespaces/${names.elm}/configmaps/wheelwright`, {
    data: { record: changed },
  });
  await byHand(scene.simulator.url, `/api/v1/namespaces/${names.ash}/configmaps/wheelwright`, null);
  const lines = await listReconcileFindings(scene.app, { apply: true });
  assert.match(
    lines.join("\n"),
    `Namespace ${names.elm} has the label of a spoke that is not in the database, and has a site record that this`,
  );
  assert.match(
    lines.join("\n"),
    `${names.ash} has the label of a spoke that is not in the database, and has no site record`,
  );
  assert.equal(await spokes(scene), []);
  assert.is((await selectRows(scene.db, "federations", { id: hub.id, state: "active" })).length, 1);
});

test("adopts a spoke only once its slug and domain are free", async ({ scene, hub, ids }) => {
  const other = await scene.spoke(hub, "ash");
  await updateRows(scene.db, "spokes", { domain: "elm.spokes.example.org" }, { id: other });
  const lines = (await listReconcileFindings(scene.app, { apply: true })).join("\n");
  assert.match(lines, `✗ spoke: north/ash (${ids.ash}) exists in namespace `);
  assert.match(lines, `: spoke ${other} already uses the slug ash`);
  assert.match(lines, ": the domain elm.spokes.example.org, a parent or a subdomain is in use");
  assert.equal(await spokes(scene), ["ash"]);
  assert.match(lines, "✓ held: Operations resume; 2 changes could not be applied");
  await scene.db.sql("update spokes set state = 'removed', removed_at = now() where id = $1", [other]);
  await listReconcileFindings(scene.app, { apply: true });
  assert.equal(await spokes(scene), ["ash", "elm"]);
});

test("makes each change once, even if it is killed and repeated", async ({ scene }) => {
  let allowedCalls = 0;
  for (let killed = true; killed; allowedCalls++) {
    let calls = 0;
    const dying = {
      ...scene.db,
      transact: (work: never) => calls++ < allowedCalls ? scene.db.transact(work) : Promise.reject(new Error("killed")),
    };
    killed = await listReconcileFindings({ ...scene.app, db: dying as Database }, { apply: true }).then(
      () => false,
      () => true,
    );
    assert.ok(allowedCalls < 20);
  }
  assert.equal(await spokes(scene), ["ash", "elm"]);
  const audits = await scene.db.sql("select 1 from audit_events where metadata ->> 'action' = 'adopt'");
  assert.is(audits.length, 2);
  const released = await selectRows(scene.db, "audit_events", { kind: "database_released" });
  assert.is(released.length, 1);
});

test("writes nothing while replicas use the database", async ({ scene }) => {
  await deleteRows(scene.db, "database_restores");
  const replica = await scene.replica();
  await until(() => replica.ready()); // the replica sent a heartbeat
  const [line] = await listReconcileFindings(scene.app, { apply: true });
  assert.match(line!, "✗ replicas: serve is running and uses this database → Stop all replicas");
  assert.equal(await spokes(scene), []);
  await replica.close();
});

test("writes nothing if a cluster does not answer", async ({ scene }) => {
  const fault = scene.simulator.faults.answer(503, { method: "GET", path: "/apis/apps/v1/deployments" });
  const error = await listReconcileFindings(scene.app, { apply: true }).then(() => null, (error) => error);
  assert.is(error?.name, "ClusterError");
  assert.equal(await spokes(scene), []);
  scene.simulator.faults.remove(fault);
});

test("keeps operations from after the restore, and reports unknown clusters", async ({ scene, ids }) => {
  await listReconcileFindings(scene.app, { apply: true });
  await scene.db.sql(
    "insert into database_restores (taken_at, restored_at) values (now(), now() - interval '1 minute')",
  );
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, ids.ash, { action: "restart", parameters: {} })
  );
  await updateRows(scene.db, "spokes", { cluster: "former" }, { id: ids.elm });
  const lines = (await listReconcileFindings(scene.app, { apply: true })).join("\n");
  assert.match(
    lines,
    "✗ clusters: Hubs or spokes use cluster former, which is no longer configured → Check CATALOG.",
  );
  const live = await scene.db.sql("select kind from jobs where visible and state = 'queued'");
  assert.equal(live.map(({ kind }) => kind), ["restart"]);
});

test("reports spokes in another cluster, and namespaces without the label", async ({ scene, ids, names }) => {
  await listReconcileFindings(scene.app, { apply: true });
  await byHand(scene.simulator.url, `/api/v1/namespaces/${names.ash}`, {
    metadata: { labels: { "app.kubernetes.io/managed-by": null } },
  });
  await updateRows(scene.db, "spokes", { clusterUid: "of another", namespace: "elsewhere" }, { id: ids.elm });
  const lines = (await listReconcileFindings(scene.app)).join("\n");
  assert.match(lines, `✗ spoke: Namespace ${names.ash} of north/ash lacks the label app.kubernetes.io/managed-by`);
  assert.match(
    lines,
    "✗ spoke: north/elm was created in a different cluster → If that cluster is lost: wheelwright restore --all --new-cluster",
  );
});

test.run();
