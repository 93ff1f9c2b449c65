/** Tests changes that users request while the database is held. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { patchFederation } from "#lib/domains/federations/patch.ts";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { HubSiteRecord, parseRecordJson, SITE_RECORD_KEY, SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import { backUp, runAction } from "#test/lib/recovery/restore/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { listReconcileFindings, saveDatabase, writeSiteRecords } from "./restored-database.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  hub: FederationRow;
  ids: Record<"ash" | "oak" | "elm", string>;
  backup: string;
}

const test = suite<Context>("changes while the database is held");

test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene(), replica = await scene.replica();
  const hub = context.hub = await scene.hub("north"), ids = context.ids = {} as Context["ids"];
  for (const slug of ["ash", "oak", "elm"] as const) ids[slug] = await scene.spoke(hub, slug);
  for (const id of Object.values(ids)) await scene.becomes(id, "active");
  await writeSiteRecords(scene.app);
  const goBack = await saveDatabase(scene.db);
  await runAction(scene, ids.ash, "resize", { size: "medium" });
  context.backup = await backUp(scene, ids.ash);
  await patch(scene, ids.elm, {
    displayName: "Elm school",
    adminEmail: "elm@example.org",
    domain: "elm.school.example",
  });
  await scene.ended(ids.elm, "configure");
  await patchFederation(scene.app, scene.actor, hub, { name: "The north", region: "eu" } as never);
  await replica.close();
  await writeSiteRecords(scene.app);
  await goBack();
});
test.after.each(({ scene }) => scene.close());

async function patch(scene: WorkScene, id: string, changes: object): Promise<void> {
  await patchSpoke(scene.app, scene.actor, await scene.row(id), changes as SpokePatch);
}

async function restart({ app, actor, db }: WorkScene, id: string): Promise<void> {
  await db.transact((tx) => checkAndEnqueueAction(app, tx, actor, id, { action: "restart", parameters: {} }));
}

/** Returns the record in the namespace of this name. */
function readSiteRecord({ simulator }: WorkScene, namespace: string): SpokeSiteRecord | HubSiteRecord | null {
  const { metadata, data } = simulator.objects("ConfigMap").find(({ metadata }) =>
    metadata.namespace === namespace && metadata.name === "wheelwright"
  )!;
  return parseRecordJson(
    metadata.labels![SITE_RECORD_KEY] === "spoke" ? SpokeSiteRecord : HubSiteRecord,
    data.record,
  );
}

test("runs once, and reconcile still updates the row", async ({ scene, ids, backup }) => {
  await restart(scene, ids.ash);
  await restart(scene, ids.oak);
  const before = (await listReconcileFindings(scene.app)).join("\n");
  assert.match(before, "! spoke: north/ash was changed after the database backup (size small → medium)");
  assert.not.match(before, "north/oak");
  await listReconcileFindings(scene.app, { apply: true });
  await listReconcileFindings(scene.app, { apply: true });
  assert.is((await scene.row(ids.ash)).size, "medium");
  const replica = await scene.replica();
  for (const id of [ids.ash, ids.oak]) assert.is((await scene.ended(id, "restart")).state, "succeeded");
  await replica.close();
  await writeSiteRecords(scene.app);
  const ash = await scene.row(ids.ash);
  assert.equal([ash.size, ash.state], ["medium", "active"]);
  assert.is((readSiteRecord(scene, ash.namespace) as SpokeSiteRecord).size, "medium");
  const adopted = await selectRows(scene.db, "backups", { id: backup, state: "ready" }, { columns: ["id"] });
  assert.is(adopted.length, 1);
});

test("keeps newer fields, and updates the others", async ({ scene, hub, ids }) => {
  await patch(scene, ids.elm, { displayName: "Elm academy", domain: "elm.academy.example" });
  await patchFederation(scene.app, scene.actor, (await findFederation(scene.db.rows, hub.id, "shown"))!, {
    name: "Northern",
  } as never);
  const before = (await listReconcileFindings(scene.app)).join("\n");
  assert.match(before, "! spoke: north/elm was changed after the database backup (adminEmail ");
  assert.not.match(before, "displayName");
  assert.match(before, "! hub: north was changed after the database backup");
  await listReconcileFindings(scene.app, { apply: true });
  const after = await findFederation(scene.db.rows, hub.id, "shown");
  assert.equal([after!.name, after!.region], ["Northern", "eu"]);
  const updated = await scene.row(ids.elm);
  assert.equal([updated.domain, updated.requestedDomain], ["elm.school.example", "elm.academy.example"]);
  const replica = await scene.replica();
  await scene.ended(ids.elm, "configure");
  await replica.close();
  const { displayName, adminEmail, domain, blueprintInputs } = await scene.row(ids.elm);
  assert.equal([displayName, adminEmail, domain], ["Elm academy", "elm@example.org", "elm.academy.example"]);
  assert.is(blueprintInputs.displayName, "Elm academy");
});

test("keeps newer fields after reconcile was repeated", async ({ scene, ids }) => {
  await restart(scene, ids.ash);
  await listReconcileFindings(scene.app, { apply: true, allClusters: false }); // the database stays held
  await updateRows(scene.db, "spokes", { displayName: "Ash", updatedAt: NOW }, { id: ids.ash });
  const lines = (await listReconcileFindings(scene.app, { apply: true })).join("\n");
  assert.not.match(lines, "north/ash");
  const { size, displayName } = await scene.row(ids.ash);
  assert.equal([size, displayName], ["medium", "Ash"]);
});

test("updates the row even if an old operation is cancelled", async ({ scene, ids }) => {
  await restart(scene, ids.ash);
  await scene.db.sql("update jobs set created_at = created_at - interval '1 hour' where kind = 'restart'");
  const lines = (await listReconcileFindings(scene.app, { apply: true })).join("\n");
  assert.match(lines, "has unfinished operations in the database backup: restart; cancelled");
  assert.equal([(await scene.row(ids.ash)).size, (await scene.row(ids.ash)).state], ["medium", "active"]);
});

test("adopts a backup that finished after the database backup", async ({ scene, ids, backup }) => {
  await restart(scene, ids.ash); // stands for the operation of the backup
  await scene.db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind)
     select $1, s.id, s.federation_id, j.id, s.cluster, s.namespace, 'manual'
     from spokes s join jobs j on j.spoke_id = s.id and j.kind = 'restart' where s.id = $2`,
    [backup, ids.ash],
  );
  assert.not.match((await listReconcileFindings(scene.app)).join("\n"), "1 backup"); // its operation continues
  await scene.db.sql("update jobs set created_at = created_at - interval '1 hour' where kind = 'restart'");
  const lines = (await listReconcileFindings(scene.app, { apply: true })).join("\n");
  assert.match(lines, "is not in the database; adopted");
  const [row] = await scene.db.sql("select state, jsonb_array_length(volumes) as volumes from backups where id = $1", [
    backup,
  ]);
  assert.equal({ ...row }, { state: "ready", volumes: 2 });
});

test.run();
