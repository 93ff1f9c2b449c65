/** Tests failures of a resize: one site, in this order. */
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import { resizeOutcomes } from "#lib/workers/resize/outcomes.ts";
import { until } from "#test/support/until.ts";
import { openResizeScene, type ResizeScene } from "./scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: ResizeScene }>("a resize that fails");
test.before(async (context) => void (context.scene = await openResizeScene()));
test.after(({ scene }) => scene.close());

async function change(scene: ResizeScene, path: string, type: string, body: unknown): Promise<void> {
  const headers = { "content-type": `application/${type}+json` };
  const answer = await fetch(scene.simulator.url + path, { method: "PATCH", headers, body: JSON.stringify(body) });
  assert.is(answer.status, 200);
}

async function allowGrowth(scene: ResizeScene, allowVolumeExpansion: boolean): Promise<void> {
  await change(scene, "/apis/storage.k8s.io/v1/storageclasses/standard", "merge-patch", { allowVolumeExpansion });
}

async function setImage(scene: ResizeScene, value: string): Promise<void> {
  const path = "/spec/template/spec/containers/0/image";
  const set = `/apis/apps/v1/namespaces/${scene.namespace}/statefulsets/db`;
  await change(scene, set, "json-patch", [{ op: "replace", path, value }]);
}

test("changes nothing if the size is no longer offered", async ({ scene }) => {
  const before = scene.sizes(), row = await scene.row(scene.id);
  const job = await scene.resize("enormous");
  assert.equal([job.state, job.failure!.code, job.failure!.step, job.failure!.fault], [
    ...["failed", "NotOffered", "prepare", "operator"],
  ]);
  const after = await scene.row(scene.id);
  assert.equal(scene.sizes(), before);
  assert.equal([after.size, after.state, after.blueprintInputs], ["small", "active", row.blueprintInputs]);
  assert.is(after.stateReason, job.failure!.message);
});

test("changes nothing if the site was suspended meanwhile", async ({ scene }) => {
  const before = scene.sizes();
  await scene.db.transact(async (tx) => {
    const ask = (action: SpokeActionName, parameters = {}) =>
      checkAndEnqueueAction(scene.app, tx, scene.actor, scene.id, { action, parameters });
    await ask("suspend");
    await ask("resume");
    await ask("resize", { size: "medium" });
    const ended = { state: "cancelled", finishedAt: sql<Date>`wheelwright_now()` } as const;
    await tx.updateTable("jobs").set(ended).where("kind", "=", "resume").execute(); // as if it had failed
  });
  const job = await scene.ended(scene.id, "resize");
  assert.equal([job.state, job.failure!.code, job.failure!.fault], ["failed", "Suspended", "user"]);
  assert.equal(scene.sizes(), before);
  const { state, size } = await scene.row(scene.id);
  assert.equal([state, size], ["suspended", "small"]);
  await scene.ask("resume");
  await scene.becomes(scene.id, "active");
});

test("keeps disks that cannot grow, adds a note, and changes the other parts", async ({ scene }) => {
  await allowGrowth(scene, false);
  const job = await scene.resize("medium");
  await allowGrowth(scene, true);
  assert.is(job.state, "succeeded", job.failure?.message);
  const sentence = (claim: string, from: string, to: string) =>
    `The disk ${claim} stays at ${from} instead of ${to}: its storage class standard does not allow volume expansion ` +
    "(allowVolumeExpansion)";
  assert.equal(job.progress.notes, [sentence("files", "10Gi", "50Gi"), sentence("data-db-0", "5Gi", "10Gi")]);
  const { files, database, workers } = scene.sizes();
  assert.equal([files, database, workers], [["10Gi", "10Gi"], ["5Gi", "5Gi"], "16"]);
  const { size, blueprintInputs: inputs } = await scene.row(scene.id);
  assert.equal([size, inputs.resources.disks, inputs.madeDatabaseDisk], [
    "medium",
    { files: "10Gi", database: "5Gi" },
    undefined,
  ]);
});

test("keeps the old size in the row, and the actual disk sizes", async ({ scene }) => {
  const message = "rpc error: code = OutOfRange desc = the pool has no room";
  scene.breakIt({ type: "no-expansion", name: "data-db-0", message }); // and stays so for the next two tests
  const job = await scene.resize("large");
  assert.equal([job.state, job.failure!.step, job.failure!.code], ["failed", "disks", "VolumeResizeFailed"]);
  assert.match(
    job.failure!.message,
    /^The volume of the PVC data-db-0 has not grown from 5Gi to 50Gi yet: .*has no room$/,
  );
  const row = await scene.row(scene.id), { resources, madeDatabaseDisk } = row.blueprintInputs;
  assert.equal([row.size, row.state, row.blueprintInputs.size], ["medium", "active", "medium"]);
  assert.match(row.stateReason!, /may already have the size large\. Resize the spoke again, or reapply the blueprint/);
  assert.equal([resources.disks, madeDatabaseDisk], [{ files: "200Gi", database: "50Gi" }, "5Gi"]);
  assert.equal([resources.workers, resources.quota.storage], [16, "500Gi"]);
  const { kind, metadata } = (await scene.db.sql(
    "select kind, metadata from audit_events where kind = 'spoke_action_failed' order by at desc limit 1",
  ))[0]!;
  assert.equal([kind, metadata.from, metadata.to], ["spoke_action_failed", "medium", "large"]);
});

test("is reverted by a reapply, except for disks and their quota", async ({ scene }) => {
  assert.equal(scene.sizes()["quota"], ["14", "14Gi", "520Gi"]);
  await scene.ask("reapply");
  const job = await scene.ended(scene.id, "reapply");
  assert.is(job.state, "succeeded", job.failure?.message);
  const { quota, files, database, workers } = scene.sizes();
  assert.equal([quota, workers, files, database], [
    ["8", "8Gi", "500Gi"],
    "16",
    ["200Gi", "200Gi"],
    ["50Gi", "5Gi"],
  ]);
});

test("succeeds at the second request if the file system grows at the pod's start", async ({ scene }) => {
  const [refusal] = scene.simulator.faults.list();
  scene.breakIt({ type: "offline-expansion", name: "data-db-0" });
  scene.simulator.faults.remove(refusal!.id);
  const job = await scene.resize("large");
  assert.is(job.state, "succeeded", job.failure?.message);
  const { files, database, workers } = scene.sizes();
  assert.equal([files, database, workers], [["200Gi", "200Gi"], ["50Gi", "50Gi"], "32"]);
  scene.simulator.faults.clear();
});

test("replaces a stuck database pod when the template changes", async ({ scene }) => {
  const { image } = scene.standing("StatefulSet", "db")["spec"].template.spec.containers[0];
  scene.breakIt({ type: "missing-image", image: "nowhere/" });
  await setImage(scene, "nowhere/postgres:1");
  const stuck = await until(() => {
    const pod = scene.simulator.objects("Pod").find(({ metadata, spec }) =>
      metadata.namespace === scene.namespace && metadata.name === "db-0" &&
      spec.containers[0].image.startsWith("nowhere/")
    );
    return /Image/.test(pod?.["status"]?.containerStatuses?.[0]?.state.waiting?.reason ?? "") && pod;
  });
  await setImage(scene, image);
  const job = await scene.resize("small");
  assert.is(job.state, "succeeded", job.failure?.message);
  assert.is.not(scene.standing("Pod", "db-0").metadata.uid, stuck.metadata.uid);
  assert.equal([(await scene.row(scene.id)).size, scene.sizes()["db"]], ["small", { cpu: "500m", memory: "512Mi" }]);
});

test("does not start a site on another site's data", async ({ scene }) => {
  const { siteIdentifier: own } = await scene.row(scene.id);
  const sites = () =>
    scene.simulator.objects("Pod").filter(({ metadata }) =>
      metadata.namespace === scene.namespace && metadata.labels?.["app"] === "moodle"
    ).map(({ metadata }) => metadata.uid);
  const before = sites();
  await updateRows(scene.db, "spokes", { siteIdentifier: "another" }, { id: scene.id });
  const job = await scene.resize("medium");
  assert.equal([job.state, job.failure!.step, job.failure!.code], ["failed", "verify", "AnotherSite"]);
  assert.equal(sites(), before);
  assert.is((await scene.row(scene.id)).size, "small");
  await updateRows(scene.db, "spokes", { siteIdentifier: own }, { id: scene.id });
});

test("uses the inputs at its start, not at its request", async ({ scene }) => {
  const hold = scene.breakIt({ type: "unready", name: `${scene.namespace}/moodle-` });
  await scene.ask("restart");
  await scene.ask("resize", { size: "medium" });
  await until(async () =>
    (await scene.operations(scene.id)).some(({ kind, state }) => kind === "restart" && state === "running")
  );
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{version}', '\"4.5.13\"') where id = $1",
    [scene.id],
  );
  scene.simulator.faults.remove(hold);
  assert.is((await scene.ended(scene.id, "resize")).state, "succeeded");
  const { size, blueprintInputs: inputs } = await scene.row(scene.id);
  assert.equal([size, inputs.size, inputs.version], ["medium", "medium", "4.5.13"]);
});

test("does not change a spoke that is being removed", async ({ scene }) => {
  const [job] = (await scene.operations(scene.id)).filter(({ kind }) => kind === "resize");
  const before = await scene.row(scene.id);
  await scene.db.transact(async (tx) => {
    await tx.updateTable("spokes").set({ state: "removing" }).where("id", "=", scene.id).execute();
    const { payload, progress } = requireJobData(OPERATIONS.resize.kind, job!);
    const after = { ...progress.after!, size: "large" };
    const later = { ...job!, payload, progress: { ...progress, after, disks: { files: "1Ti" } } };
    for (const hook of ["onSucceeded", "onCancelled"] as const) await resizeOutcomes[hook]!(tx, later);
    await resizeOutcomes.onFailed!(tx, later, { message: "no" } as never);
  });
  const { size, blueprintInputs: inputs, state, stateReason: reason } = await scene.row(scene.id);
  assert.equal([size, inputs, state, reason], [before.size, before.blueprintInputs, "removing", before.stateReason]);
});

test.run();
