/** Tests the site records in the namespaces of hubs and spokes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { writeSiteRecords } from "#test/lib/recovery/adoption/restored-database.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("site records");
test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene(), replica = await scene.replica();
  context.id = await scene.spoke(await scene.hub("north"), "ash");
  await scene.becomes(context.id, "active");
  await replica.close();
});
test.after.each(({ scene }) => scene.close());

function listRecords({ simulator }: WorkScene): KubeObject[] {
  return simulator.objects("ConfigMap").filter(({ metadata }) => metadata.name === "wheelwright");
}

async function readRecord(scene: WorkScene, id: string): Promise<Record<string, unknown>> {
  const { namespace } = await scene.row(id);
  return JSON.parse(listRecords(scene).find(({ metadata }) => metadata.namespace === namespace)!.data.record);
}

async function rename({ db }: WorkScene, id: string, name: string): Promise<void> {
  await updateRows(db, "spokes", { displayName: name, updatedAt: NOW }, { id });
}

test("exist in each new namespace, and contain no passwords", async ({ scene, id }) => {
  assert.is(listRecords(scene).length, 2);
  assert.is((await readRecord(scene, id)).slug, "ash");
  const secrets = scene.simulator.objects("Secret").flatMap(({ data }) => Object.values<string>(data ?? {})).map(atob);
  const [{ key }] = await selectRows(scene.db, "installation", {}, { columns: ["key"] }),
    text = JSON.stringify(listRecords(scene));
  const leaked = [...secrets, key].filter((secret) => secret.length > 7 && text.includes(secret));
  assert.ok(secrets.length > 0);
  assert.equal(leaked, []);
});

test("are written once for each change of the row", async ({ scene, id }) => {
  await rename(scene, id, "Ash school");
  await writeSiteRecords(scene.app);
  assert.is((await readRecord(scene, id)).displayName, "Ash school");
  const writes = scene.simulator.writes().length;
  await writeSiteRecords(scene.app);
  assert.is(scene.simulator.writes().length, writes);
});

test("are created if they are missing", async ({ scene, id }) => {
  const { namespace } = await scene.row(id);
  const address = `${scene.simulator.url}/api/v1/namespaces/${namespace}/configmaps/wheelwright`;
  assert.is((await fetch(address, { method: "DELETE" })).status, 200);
  await updateRows(scene.db, "spokes", { recordedAt: null });
  await writeSiteRecords(scene.app);
  assert.is((await readRecord(scene, id)).slug, "ash");
});

test("are kept while the database is older, and updated once its fence is newer", async ({ scene, id }) => {
  await rename(scene, id, "newer");
  await writeSiteRecords(scene.app);
  await rename(scene, id, "older");
  await updateRows(scene.db, "federations", { updatedAt: NOW });
  const { namespace } = await scene.row(id),
    [{ last }] = await scene.db.sql("select last_value as last from job_fences");
  await scene.db.sql("select setval('job_fences', 1)");
  await writeSiteRecords(scene.app);
  assert.is((await readRecord(scene, id)).displayName, "newer");
  await scene.db.sql("select setval('job_fences', $1)", [last]);
  await writeSiteRecords(scene.app);
  assert.is((await readRecord(scene, id)).displayName, "older", namespace);
});

test("are skipped without a message if the namespace is gone; the others are updated", async ({ scene, id }) => {
  const replica = await scene.replica(), { namespace, federationId } = await scene.row(id);
  const other = await scene.spoke((await findFederation(scene.db.rows, federationId, "shown"))!, "elm");
  await scene.becomes(other, "active");
  await replica.close();
  await fetch(`${scene.simulator.url}/api/v1/namespaces/${namespace}`, { method: "DELETE" });
  await until(() => scene.simulator.objects("Namespace").every(({ metadata }) => metadata.name !== namespace));
  for (const each of [id, other]) await rename(scene, each, "another name");
  const lines: string[] = [], capture = (text: string) => void lines.push(text);
  await writeSiteRecords(scene.app, { ...SILENT_LOG, info: capture, warn: capture });
  assert.equal(lines, []);
  assert.is((await readRecord(scene, other)).displayName, "another name");
});

test("are updated later if the cluster does not answer", async ({ scene, id }) => {
  await rename(scene, id, "Ash school");
  const fault = scene.simulator.faults.answer(503, { method: "PATCH", path: "/configmaps/wheelwright" });
  await writeSiteRecords(scene.app);
  scene.simulator.faults.remove(fault);
  assert.is((await readRecord(scene, id)).displayName, "ash");
  await writeSiteRecords(scene.app);
  assert.is((await readRecord(scene, id)).displayName, "Ash school");
});

test.run();
