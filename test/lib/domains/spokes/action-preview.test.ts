import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { buildFieldPatch } from "#lib/operations/change.ts";
import { dryRunChanges } from "#lib/domains/spokes/cluster-preview.ts";
import { previewSpokeAction } from "#lib/domains/spokes/action-preview.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { SPOKE_ACTIONS } from "#lib/operations/table.ts";
import type { ActionPreview, SpokeAction } from "#lib/domains/spokes/views.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { deleteAsAdmin } from "#test/support/service-account.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("previewAction");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  const replica = await scene.replica();
  await scene.becomes(context.id, "active");
  await replica.close(); // scheduled jobs are not part of the preview
});
test.after(({ scene }) => scene.close());

const { signal } = new AbortController();

/** The required parameters of each action. */
const ASKED: { readonly [action in SpokeAction["action"]]?: Partial<SpokeAction> } = {
  upgrade: { lmsVersion: "5.2.2" },
  resize: { size: "large" },
  "suspend-person": { email: "ann@school.example" },
  "reinstate-person": { email: "ann@school.example" },
};

async function preview(scene: WorkScene, id: string, asked: SpokeAction): Promise<ActionPreview> {
  return await previewSpokeAction(scene.app, scene.actor, await scene.row(id), asked, signal);
}

async function codeOf(scene: WorkScene, id: string, asked: SpokeAction): Promise<string> {
  return await preview(scene, id, asked).then(() => "allowed", (error) => error.code);
}

/** Sets the spoke to another state while the work runs. */
async function meanwhile(scene: WorkScene, id: string, change: string, work: () => Promise<void>): Promise<void> {
  const { namespaceUid, readyAt } = await scene.row(id);
  await scene.db.sql(`update spokes set ${change} where id = $1`, [id]);
  await work();
  await updateRows(scene.db, "spokes", { state: "active", maintenance: false, namespaceUid, readyAt }, { id });
}

function fieldsOf({ changes }: ActionPreview): Record<string, [from: unknown, to: unknown]> {
  return Object.fromEntries(changes.map(({ object, field, from, to }) => [`${object} ${field}`, [from, to]]));
}

test("lists the fields that suspend and maintenance set", async ({ scene, id }) => {
  const suspend = await preview(scene, id, { action: "suspend" });
  assert.equal([suspend.state, suspend.becomes, suspend.downtime, suspend.price], [
    "active",
    "suspended",
    true,
    { available: false },
  ]);
  assert.equal(suspend.steps, ["Pausing scheduled tasks", "Stopping Moodle", "Stopping the database"]);
  assert.equal(suspend.changes, [
    { object: "CronJob/moodle-cron", field: "spec.suspend", from: false, to: true },
    { object: "Deployment/moodle", field: "spec.replicas", from: 1, to: 0 },
    { object: "StatefulSet/db", field: "spec.replicas", from: 1, to: 0 },
  ]);
  const maintenance = await preview(scene, id, { action: "maintenance-on" });
  assert.equal(maintenance.changes, suspend.changes.slice(0, 1));
  assert.equal([maintenance.becomes, maintenance.downtime], ["active", true]);
});

test("leaves scheduled tasks paused for a resume in maintenance mode", async ({ scene, id }) => {
  await meanwhile(scene, id, "state = 'suspended', maintenance = true", async () => {
    const resume = await preview(scene, id, { action: "resume" });
    assert.equal([resume.becomes, resume.downtime], ["active", false]);
    assert.equal(fieldsOf(resume), { "CronJob/moodle-cron spec.suspend": [false, true] }); // the pods still exist
    assert.match(resume.notes.join(), "stay paused");
  });
});

test("mentions a Job, and that the site stays available", async ({ scene, id }) => {
  for (const action of ["purge-caches", "run-cron", "reset-admin-password", "backup"] as const) {
    const { becomes, downtime, changes, notes, steps } = await preview(scene, id, { action });
    assert.equal([becomes, downtime, changes], ["active", false, []], action);
    assert.match(notes.join(), action === "backup" ? "snapshot of each volume" : /\ba Job/i, action);
    assert.ok(steps.length > 0);
  }
  const restart = await preview(scene, id, { action: "restart" });
  assert.equal([restart.downtime, restart.notes], [true, ["Moodle's pod is replaced; the database keeps running"]]);
});

test("lists only the differences between the versions for an upgrade", async ({ scene, id }) => {
  const upgrade = await preview(scene, id, { action: "upgrade", lmsVersion: "5.2.2" });
  const fields = fieldsOf(upgrade), { moodle: old } = (await scene.row(id)).blueprintInputs.images;
  const { moodle: image } = scene.app.catalog.imagesOf("5.2.2");
  for (
    const at of ["Deployment/moodle spec.template.spec", "CronJob/moodle-cron spec.jobTemplate.spec.template.spec"]
  ) {
    const name = at.startsWith("Cron") ? "cron" : "moodle";
    assert.equal(fields[`${at}.containers[${name}].image`], [old, image], at);
  }
  assert.equal(upgrade.changes.filter(({ object }) => !/^(Deployment|CronJob)\//.test(object)), []);
  assert.ok(Object.keys(fields).every((field) => /image|volumeMounts/.test(field)), Object.keys(fields).join());
  assert.equal([upgrade.becomes, upgrade.downtime], ["active", true]);
  assert.match(upgrade.notes.join(), "if that fails, nothing is changed");
  const without = await preview(scene, id, { action: "upgrade", lmsVersion: "5.2.2", skipBackup: true });
  assert.match(without.notes.join(), "if the cluster can");
});

test("lists the resources of the new size, including disks and quota", async ({ scene, id }) => {
  const { downtime, ...resize } = await preview(scene, id, { action: "resize", size: "large" });
  const fields = fieldsOf(resize as ActionPreview);
  const { small, large } = scene.app.blueprint.sizes.sizes;
  assert.equal(fields["PersistentVolumeClaim/files spec.resources.requests.storage"], [
    small!.disks.files,
    large!.disks.files,
  ]);
  assert.equal(fields["PersistentVolumeClaim/data-db-0 spec.resources.requests.storage"], [
    small!.disks.database,
    large!.disks.database,
  ]);
  assert.equal(fields["Deployment/moodle spec.template.spec.containers[moodle].resources.limits.memory"], [
    small!.app.limits.memory,
    large!.app.limits.memory,
  ]);
  assert.ok(Object.keys(fields).some((field) => field.startsWith("ResourceQuota/") && field.includes("limits.memory")));
  assert.equal(Object.keys(fields).filter((field) => /image|annotations/.test(field)), []);
  assert.ok(downtime);
  const { name } = scene.simulator.objects("StorageClass")[0]!.metadata;
  await grow(scene, name, false);
  const stuck = await preview(scene, id, { action: "resize", size: "large" });
  await grow(scene, name, true);
  assert.equal(stuck.changes.filter(({ object }) => object.startsWith("PersistentVolumeClaim/")), []);
  assert.is(stuck.notes.filter((note) => note.includes("does not allow volume expansion")).length, 2);
});

async function grow(scene: WorkScene, name: string, allowed: boolean): Promise<void> {
  const url = `${scene.simulator.url}/apis/storage.k8s.io/v1/storageclasses/${name}`;
  const body = JSON.stringify([{ op: "add", path: "/allowVolumeExpansion", value: allowed }]);
  const answer = await fetch(url, {
    method: "PATCH",
    headers: { "content-type": "application/json-patch+json" },
    body,
  });
  assert.is(answer.status, 200, await answer.text());
}

test("lists manual changes for a reapply, and nothing right after the install", async ({ scene, id }) => {
  const clean = await preview(scene, id, { action: "reapply" });
  assert.equal([clean.changes, clean.downtime, clean.becomes], [[], false, "active"]);
  const { cluster, namespace, namespaceUid: uid } = await scene.row(id);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, uid!), call = { signal };
  const quota = (await space.list({ apiVersion: "v1", kind: "ResourceQuota" }, "", call))[0]!.metadata.name;
  await space.patch({ apiVersion: "v1", kind: "ResourceQuota", name: quota }, [
    { op: "replace", path: "/spec/hard/limits.memory", value: "99Gi" },
  ], call);
  const service = { apiVersion: "v1", kind: "Service", name: "moodle" };
  await deleteAsAdmin(scene.simulator, (await space.get(service, call))!);
  const dirty = await preview(scene, id, { action: "reapply" });
  assert.equal(dirty.changes.map(({ object, field }) => `${object} ${field}`), [
    `ResourceQuota/${quota} spec.hard[limits.memory]`,
    "Service/moodle ",
  ]);
  assert.equal([dirty.changes[0]!.from, dirty.changes[1]!.from, dirty.downtime], ["99Gi", null, false]);
  for (const name of ["moodle", "admin", "mail"]) {
    const secret = { apiVersion: "v1", kind: "Secret", name };
    await deleteAsAdmin(scene.simulator, (await space.get(secret, call))!);
  }
  const bare = await preview(scene, id, { action: "reapply" });
  assert.match(bare.notes.join(), "Secret/moodle: The Secret and the database's password");
  const made = bare.changes.filter(({ object }) => object.startsWith("Secret/"));
  assert.equal(made.map(({ object }) => object).toSorted(), ["Secret/admin", "Secret/mail"]);
  assert.match(JSON.stringify(made), "(concealed)");
});

test("writes nothing for any action", async ({ scene, id }) => {
  const readState = async () => ({
    rows: await selectRows(scene.db, "spokes"),
    jobs: await scene.db.sql("select * from jobs where visible order by seq"),
    audit: await scene.db.sql("select count(*)::int from audit_events"),
    stream: await scene.db.sql("select count(*)::int from stream_events"),
    keys: await scene.db.sql("select count(*)::int from idempotency_keys"),
    writes: scene.simulator.writes().filter(({ dryRun }) => !dryRun).length,
  });
  const before = await readState(), asked: string[] = [];
  for (const action of SPOKE_ACTIONS) {
    if (await codeOf(scene, id, { action, ...ASKED[action] }) === "allowed") asked.push(action);
  }
  assert.equal(asked, SPOKE_ACTIONS.filter((action) => action !== "resume" && action !== "retry"));
  assert.equal(await readState(), before);
  assert.ok(scene.simulator.writes().some(({ dryRun }) => dryRun));
});

test("reports an object that should change but is missing, as the action would", async ({ scene, id }) => {
  const lost = { ...MOODLE_DEPLOYMENT_REF, name: "lost" };
  const { changes, refusals } = await dryRunChanges(scene.app, scene.actor, await scene.row(id), [
    buildFieldPatch(lost, "/spec/replicas", 0),
    { ref: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: "lost" }, grow: "100Gi" },
  ], signal);
  const gone = "This object no longer exists in the cluster";
  assert.equal([changes, refusals], [[], [`Deployment/lost: ${gone}`, `PersistentVolumeClaim/lost: ${gone}`]]);
});

test("is rejected like the real action", async ({ scene, id }) => {
  const admin = { ...scene.actor, role: "hub_admin" } as const;
  const row = await scene.row(id);
  const code = (asked: SpokeAction) => codeOf(scene, id, asked);
  assert.is(await code({ action: "resume" }), "spoke_state");
  assert.is(await code({ action: "upgrade" }), "parameter_needed");
  assert.is(await code({ action: "upgrade", lmsVersion: row.lmsVersion }), "version_unchanged");
  assert.is(await code({ action: "resize", size: "huge" }), "not_offered");
  assert.is(await code({ action: "resize", size: row.size }), "size_unchanged");
  const refused = await previewSpokeAction(scene.app, admin, row, { action: "reapply" }, signal).catch((e) => e);
  assert.is(refused.code, "operator_only");
});

test("previews the failed operation for a retry", async ({ scene, id }) => {
  await meanwhile(scene, id, "state = 'failed', ready_at = null", async () => {
    const { steps, changes, becomes } = await preview(scene, id, { action: "retry" });
    assert.equal([steps.includes("Installing Moodle"), changes, becomes], [true, [], "active"]);
  });
  await requestSpokeAction(scene.app, scene.actor, await scene.row(id), { action: "upgrade", lmsVersion: "5.2.2" });
  await updateRows(scene.db, "jobs", { state: "failed", finishedAt: NOW }, { kind: "upgrade" });
  await meanwhile(scene, id, "state = 'failed'", async () => {
    const { steps, changes } = await preview(scene, id, { action: "retry" });
    assert.equal([steps.includes("Taking a backup"), changes.some(({ field }) => field.endsWith(".image"))], [
      true,
      true,
    ]);
    await updateRows(scene.db, "jobs", { payload: '{"lmsVersion": "gone"}' }, { kind: "upgrade" });
    const hopeless = await preview(scene, id, { action: "retry" });
    assert.equal(hopeless.changes, []);
    assert.match(hopeless.notes.join(), "Version gone is no longer offered");
  });
});

test("reports an unavailable cluster, and the cluster's own refusals", async ({ scene, id }) => {
  const fault = scene.simulator.faults.answer(403, { method: "PATCH", path: "/deployments/" });
  const refused = await preview(scene, id, { action: "suspend" });
  scene.simulator.faults.remove(fault);
  assert.match(refused.notes.join(), "The cluster would refuse to change Deployment/moodle: ");
  assert.equal(refused.changes.map(({ object }) => object), ["CronJob/moodle-cron", "StatefulSet/db"]);
  await meanwhile(scene, id, "namespace_uid = 'another'", async () => {
    assert.is(await codeOf(scene, id, { action: "suspend" }), "cluster_unavailable");
  });
});

test.run();
