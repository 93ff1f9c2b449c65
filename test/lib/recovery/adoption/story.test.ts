/**
 * Tests the loss of the database: yesterday's backup is restored and reconciled. Nothing in the cluster is lost or
 * duplicated.
 */
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { fieldsWith } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { readDatabaseHold } from "#lib/installation/database-hold.ts";
import type { Job } from "#lib/jobs/job.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { backUp, readMarks, runAction, runRestore, writeMark } from "#test/lib/recovery/restore/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { NEW, runUpgrade } from "#test/lib/workers/upgrade/scene.ts";
import { listReconcileFindings, saveDatabase, writeSiteRecords } from "./restored-database.ts";
import { selectRows } from "#test/support/rows.ts";

const BEFORE = ["ash", "oak", "elm", "fir", "pine", "yew", "box"] as const;
type Name = (typeof BEFORE)[number] | "new" | "far";

interface Context {
  scene: WorkScene;
  hubs: Record<"north" | "west", FederationRow>;
  ids: Record<Name, string>;
  backup: string;
  /** The rows when the database was lost, keyed by spoke ID. */
  lost: Map<string, Record<string, unknown>>;
  standing: string[];
}

const test = suite<Context>("after the database is lost");

/** The fields that must be the same afterwards. */
const SAME = [
  ...fieldsWith(spokeFields, "kept"),
  ...["namespaceUid", "clusterUid", "blueprintInputs", "createdAt", "readyAt"] as const,
];
/** Kept fields that users set and that may be null. One spoke gets a value for each, so that none is lost unnoticed. */
const OPTIONAL = fieldsWith(spokeFields, "kept").filter((name) =>
  spokeFields[name].nullable && spokeFields[name].settable
);

async function readComparedFields(scene: WorkScene, id: string): Promise<Record<string, unknown>> {
  const row = await scene.row(id);
  return Object.fromEntries(SAME.map((field) => [field, row[field]]));
}

async function setField({ db }: WorkScene, id: string, name: keyof SpokeRow, value: string): Promise<void> {
  await db.rows.updateTable("spokes").set({ [name]: value, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).execute();
}

function namespaces({ simulator }: WorkScene): string[] {
  return simulator.objects("Namespace").map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
}

function fences({ simulator }: WorkScene): number[] {
  return ["Secret", "Deployment", "StatefulSet", "ConfigMap", "Ingress"].flatMap((kind) => simulator.objects(kind))
    .map(({ metadata }) => Number(metadata.annotations?.["wheelwright.dev/fence"] ?? 0));
}

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  const ids = context.ids = {} as Context["ids"], hubs = context.hubs = {} as Context["hubs"];
  let replica = await scene.replica();
  hubs.north = await scene.hub("north");
  for (const slug of BEFORE) ids[slug] = await scene.spoke(hubs.north, slug);
  for (const slug of BEFORE) await scene.becomes(ids[slug], "active");
  await replica.close();
  await writeSiteRecords(scene.app);
  for (const action of ["restart", "backup"] as const) {
    await scene.db.transact((tx) =>
      checkAndEnqueueAction(scene.app, tx, scene.actor, ids.ash, { action, parameters: {} })
    );
  }
  const goBack = await saveDatabase(scene.db);

  replica = await scene.replica();
  await scene.ended(ids.ash, "restart");
  hubs.west = await scene.hub("west");
  ids.new = await scene.spoke(hubs.north, "new");
  ids.far = await scene.spoke(hubs.west, "far");
  for (const name of ["new", "far"] as const) await scene.becomes(ids[name], "active");
  await runAction(scene, ids.oak, "resize", { size: "medium" });
  await patchSpoke(scene.app, scene.actor, await scene.row(ids.elm), {
    displayName: "Elm school",
    domain: "elm.school.example",
  } as SpokePatch);
  await scene.ended(ids.elm, "configure");
  await runUpgrade(scene, ids.fir, NEW);
  await runAction(scene, ids.pine, "suspend");
  await writeMark(scene, ids.box, "as it was");
  context.backup = await backUp(scene, ids.box);
  await writeMark(scene, ids.box, "broken");
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, ids.yew));
  await scene.becomes(ids.yew, "removed");
  await replica.close();
  for (const name of OPTIONAL) await setField(scene, ids.new, name, `a ${name}`);
  await writeSiteRecords(scene.app);
  context.lost = new Map(
    await Promise.all(Object.values(ids).map(async (id) => [id, await readComparedFields(scene, id)] as const)),
  );
  context.standing = namespaces(scene);
  await goBack();
});
test.after(({ scene }) => scene.close());

test("previews all differences and writes nothing", async ({ scene, ids }) => {
  const rows = () =>
    selectRows(scene.db, "spokes", {}, { columns: ["id", "state", "domain", "size", "updatedAt"], orderBy: "id" });
  const before = [await rows(), scene.simulator.writes().length];
  const lines = await listReconcileFindings(scene.app), all = lines.join("\n");
  assert.match(all, `! spoke: north/new (${ids.new}) exists in namespace `);
  assert.match(all, "would be adopted as new.spokes.example.org, small, Moodle ");
  assert.match(all, "! hub: west (");
  assert.match(all, "would be adopted, without members → wheelwright hubs add-member west EMAIL");
  assert.match(
    all,
    "! spoke: north/oak was changed after the database backup (size small → medium); would be updated from the cluster",
  );
  assert.match(all, "(displayName elm → Elm school) (domain elm.spokes.example.org → elm.school.example)");
  assert.match(all, `(lmsVersion 4.5.12 → ${NEW})`);
  assert.match(
    all,
    `! operations: ash (${ids.ash}) has unfinished operations in the database backup: restart, backup; would be cancelled`,
  );
  assert.match(
    all,
    `✗ spoke: The namespace of north/yew (${ids.yew}) is missing; would be marked as failed → If the spoke was removed on ` +
      `purpose: wheelwright spokes destroy north/yew. If it was lost, run the same command, then: wheelwright restore ` +
      `${ids.yew}. Its snapshots still exist: snapcontent-`,
  );
  assert.match(all, "! backups: ");
  assert.match(all, "! fences: Objects in the cluster have fences (job claim numbers) up to ");
  assert.match(all, "! held: ");
  assert.equal([await rows(), scene.simulator.writes().length], before);
});

test("restores all rows with --apply", async ({ scene, ids, lost }) => {
  const writes = scene.simulator.writes().length, lines = await listReconcileFindings(scene.app, { apply: true });
  assert.equal(
    lines.filter((line) => line.startsWith("✗")).map((line) => line.slice(0, 35)),
    ["✗ spoke: The namespace of north/yew"],
  );
  for (const [name, id] of Object.entries(ids)) {
    if (name !== "yew") assert.equal(await readComparedFields(scene, id), lost.get(id), name);
  }
  const yew = await scene.row(ids.yew);
  assert.equal([yew.state, /removed after the database backup/.test(yew.stateReason!)], ["failed", true]);
  assert.is(await readDatabaseHold(scene.db.rows), null);
  const [{ last }] = await scene.db.sql("select last_value::int as last from job_fences");
  assert.ok(last > Math.max(...fences(scene)), "new fences are greater than those in the cluster");
  assert.is(scene.simulator.writes().length, writes, "no write to the cluster");
  const live = await scene.db.sql("select kind from jobs where visible and state in ('queued', 'running')");
  assert.equal(live, []);
});

test("reports only unresolved differences when repeated", async ({ scene, ids }) => {
  const lines = await listReconcileFindings(scene.app, { apply: true });
  assert.equal(lines.map((line) => line.slice(0, 40)), [
    "✓ fences: higher than all fences in the ",
    `✗ spoke: The namespace of north/yew (${ids.yew})`.slice(0, 40),
  ]);
});

test("runs all operations afterwards, without duplicates or drift", async ({ scene, hubs, ids, backup, standing }) => {
  assert.equal(namespaces(scene), standing);
  const replica = await scene.replica();
  await lookOnce(scene.app);
  for (const name of ["ash", "oak", "elm", "fir", "box", "new", "far"] as const) {
    const row = await scene.row(ids[name]);
    assert.equal([row.state, row.health, row.drift], ["active", "healthy", null], name);
  }
  const succeeded = async (id: string, action: Parameters<typeof runAction>[2], parameters = {}) => {
    const job = await runAction(scene, id, action, parameters);
    assert.is(job.state, "succeeded", `${action}: ${job.failure?.message}`);
  };
  await succeeded(ids.new, "restart");
  await succeeded(ids.new, "resize", { size: "medium" });
  await succeeded(ids.far, "reapply");
  await succeeded(ids.fir, "reapply");
  await succeeded(ids.elm, "backup");
  await succeeded(ids.pine, "resume");
  await backUp(scene, ids.far);
  const job = await runRestore(scene, ids.box, { backupId: backup });
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.equal(await readMarks(scene, ids.box), ["as it was", "as it was"]);
  await scene.becomes(await scene.spoke(hubs.north, "fresh"), "active");
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, ids.yew));
  await scene.becomes(ids.yew, "removed");
  const [{ progress: { notes } }] = await scene.operations(ids.yew) as [Job];
  // The site had already stopped.
  assert.match(String(notes), /^No last snapshot was taken: namespaces "[^"]+" not found$/);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, ids.new));
  await scene.becomes(ids.new, "removed");
  await replica.close();
});

test("records the changes in the audit log", async ({ scene, ids }) => {
  const audits = await scene.db.sql(
    "select object_id, actor_email, metadata ->> 'action' as action from audit_events where (metadata ->> 'reconciled')::boolean",
  );
  const actions = audits.map(({ objectId, action, actorEmail }) => `${objectId} ${action} ${actorEmail}`);
  for (const [name, action] of [["new", "adopt"], ["far", "adopt"], ["oak", "catch up"], ["yew", "give up"]] as const) {
    assert.ok(actions.includes(`${ids[name]} ${action} ann@control`), `${name} ${action}`);
  }
});

test.run();
