import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diffObjects } from "#lib/drivers/cluster/diff.ts";
import { notesOf } from "#lib/jobs/operation.ts";
import { acceptRemoval } from "#lib/domains/spokes/remove.ts";
import { until } from "#test/support/until.ts";
import { CALL, sleepingTask } from "#test/lib/workers/actions/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { ask, installSpoke, jobNames, NEW, objects, OLD, running, standing, upgradeTo } from "./scene.ts";

const test = suite<{ scene: WorkScene; id: string }>("upgrade");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
test.after(({ scene }) => scene.close());

/** The steps in which it can be held back, each by a call that the API server does not answer well for a while. */
const HOLDS: readonly (readonly [step: string, method: string, path: string])[] = [
  ["prepare", "POST", "/jobs"],
  ["backup", "POST", "/volumesnapshots"],
  ["stop", "PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright"],
  ["migrate", "GET", "/jobs?labelSelector=op%3Dupgrade"],
  ["app", "PATCH", "/services/moodle"],
  ["cron", "PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright&force=true"],
  ["health", "GET", "/jobs/health-"],
];

test("leaves the row as it was until the cluster has shown all of it, and takes a backup before it touches the site", async ({ scene, id }) => {
  const before = await scene.row(id), old = await standing(scene, id);
  assert.equal(old, running(OLD));
  const faults = HOLDS.map(([, method, path]) => scene.simulator.faults.answer(503, { method, path }));
  await ask(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  for (const [i, [step]] of HOLDS.entries()) {
    const job = await until(async () => {
      const [latest] = await scene.operations(id);
      // Looking at a Job goes on through such answers: then it is held once the Job is there.
      const held = step === "health" ? (await jobNames(scene, id, step)).length > 0 : latest!.failure?.step === step;
      return latest!.label !== "Waiting to start" && held && latest!;
    });
    assert.is(job.kind, "upgrade");
    const row = await scene.row(id);
    assert.equal([row.state, row.lmsVersion, row.blueprintInputs], ["updating", OLD, before.blueprintInputs], step);
    if (["prepare", "backup", "stop"].includes(step)) assert.equal(await standing(scene, id), old, step);
    if (step === "backup") assert.equal(await jobNames(scene, id, "upgrade"), []);
    scene.simulator.faults.remove(faults[i]!);
  }
  const job = await scene.ended(id, "upgrade");
  assert.is(job.state, "succeeded");
  assert.equal(await standing(scene, id), running(NEW));
  const row = await scene.row(id);
  assert.equal([row.state, row.health, row.stateReason, row.lmsVersion], ["active", "healthy", null, NEW]);
  assert.is(row.siteIdentifier, before.siteIdentifier);
  const { images, version, ...others } = row.blueprintInputs,
    { images: _, version: __, ...kept } = before.blueprintInputs;
  assert.equal([version, images.postgres, others], [NEW, before.blueprintInputs.images.postgres, kept]);
  assert.is(row.blueprintRevision, before.blueprintRevision);
});

test("mounts the settings of PHP where the new image reads them, and nowhere else", async ({ scene, id }) => {
  const [moodle] = await objects(scene, id, "Deployment");
  const mounts = moodle!["spec"].template.spec.containers[0].volumeMounts.map((each: { mountPath: string }) =>
    each.mountPath
  );
  assert.equal(mounts.filter((path: string) => path.includes("fpm")), ["/etc/php84/php-fpm.d/zz-size.conf"]);
});

test("did it in order: snapshots, then down, then one Job with the new image that alone may upgrade, then up", async ({ scene, id }) => {
  const [job] = await scene.operations(id);
  const { namespace } = await scene.row(id);
  const writes = scene.simulator.writes().filter(({ path, changed }) => changed && path.includes(`/${namespace}/`));
  const first = (method: string, path: RegExp) =>
    writes.findIndex((each) => each.method === method && path.test(each.path));
  const moments = scene.simulator.history().filter((each) => each.namespace === namespace);
  const started = moments.findIndex(({ kind, name }) => kind === "Job" && name.startsWith("upgrade-"));
  const down = moments.findLastIndex(({ kind, name, replicas }, at) =>
    kind === "Deployment" && name === "moodle" && replicas === 0 && at < started
  );
  const snapshots = moments.findLastIndex(({ kind, type }) => kind === "VolumeSnapshot" && type === "ADDED");
  const up = moments.findIndex(({ kind, replicas }, at) => kind === "Deployment" && replicas === 1 && at > started);
  assert.ok(
    snapshots >= 0 && snapshots < down && down < started && started < up,
    `${snapshots} ${down} ${started} ${up}`,
  );
  assert.ok(first("POST", /volumesnapshots/) > 0);
  const names = await jobNames(scene, id, "upgrade");
  assert.equal(names, job!.progress.upgrades);
  assert.ok(job!.progress.parts.count > 100, "it was followed from its first part to its last");
  const [run] = (await objects(scene, id, "Job")).filter(({ metadata }) => metadata.name === names[0]);
  const { containers: [moodle] } = run!["spec"].template.spec;
  assert.equal(moodle.env, [{ name: "AUTO_UPDATE_MOODLE", value: "true" }]);
  assert.is(run!["spec"].activeDeadlineSeconds, 6 * 3600);
  const [settings] = (await objects(scene, id, "ConfigMap")).filter(({ metadata }) => metadata.name === "moodle-env");
  assert.is(settings!["data"].AUTO_UPDATE_MOODLE, "false");
});

test("leaves everything as the blueprint has it for the new version", async ({ scene, id }) => {
  const { namespace, namespaceUid: uid, cluster, blueprintInputs: inputs } = await scene.row(id);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, uid!),
    call = { signal: AbortSignal.timeout(20_000) };
  for (const step of ["policies", "secrets", "volumes", "database", "app", "cron", "ingress"] as const) {
    for (const object of scene.app.blueprint.spokeObjects(inputs, step)) {
      const { apiVersion, kind, metadata: { name } } = object;
      const { objects: [after] } = await space.dryRun([object], call);
      assert.equal(diffObjects(await space.get({ apiVersion, kind, name }, call), after!), [], `${kind} ${name}`);
    }
  }
});

test("tells where the backup lies, and from what to what it went", async ({ scene, id }) => {
  const [job] = await scene.operations(id);
  const [snapshot] = await objects(scene, id, "VolumeSnapshot");
  const [note] = notesOf(job!);
  assert.match(note!, "Before the upgrade the site ran 4.5.12 (Build");
  assert.match(note!, snapshot!.metadata.name);
  assert.match(note!, snapshot!["status"].boundVolumeSnapshotContentName);
  const [backup] = await scene.db.sql("select kind, state from backups where operation_id = $1", [job!.id]);
  assert.equal([backup.kind, backup.state], ["upgrade", "ready"]);
  const audits = await scene.db.sql(
    "select metadata from audit_events where kind = 'spoke_action_succeeded' and spoke_id = $1",
    [id],
  );
  assert.equal(audits.map(({ metadata }) => [metadata.action, metadata.from, metadata.to]), [["upgrade", OLD, NEW]]);
});

test("leaves nothing but its own Job behind that would count against the quota", async ({ scene, id }) => {
  const names = (await objects(scene, id, "Job")).map(({ metadata }) => metadata.name.split("-")[0]);
  // Those that were held back in the middle stay for the cluster to clear away.
  assert.equal(
    [...new Set(names)].filter((name) => !["moodle", "install", "verify", "preflight", "health"].includes(name!)),
    ["upgrade"],
  );
});

test("keeps a site in maintenance that was in maintenance before", async ({ scene, id }) => {
  await ask(scene, id, "maintenance-on");
  assert.is((await scene.ended(id, "maintenance-on")).state, "succeeded");
  const job = await upgradeTo(scene, id, "5.2.7");
  assert.equal([job.state, job.failure], ["succeeded", null]);
  const row = await scene.row(id);
  assert.equal([row.state, row.maintenance, row.lmsVersion], ["active", true, "5.2.7"]);
  assert.equal((await standing(scene, id)).cronPaused, true);
  const [run] = (await objects(scene, id, "Job")).filter(({ metadata }) => metadata.name === job.progress.upgrades[0]);
  assert.is(run!["spec"].activeDeadlineSeconds, 3 * 3600, "a step within a branch");
  await ask(scene, id, "maintenance-off");
  assert.is((await scene.ended(id, "maintenance-off")).state, "succeeded");
});

test("takes no answer from before for that of the upgraded database, where its Job could not be cleared away", async ({ scene }) => {
  const other = await installSpoke(scene, "geometry");
  scene.simulator.faults.answer(403, { method: "DELETE", path: "/jobs/verify-", times: 1 });
  const job = await upgradeTo(scene, other, NEW);
  assert.equal([job.state, job.failure], ["succeeded", null]);
});

test("waits for a scheduled task that has begun after all, as the cluster heard that they are to pause", async ({ scene }) => {
  const own = await installSpoke(scene, "calculus"), path = "/jobs?labelSelector=op%3Dupgrade";
  const fault = scene.simulator.faults.answer(503, { method: "GET", path });
  await ask(scene, own, "upgrade", { lmsVersion: NEW, skipBackup: false });
  await until(async () => (await scene.operations(own))[0]!.failure?.step === "migrate");
  const { cluster, namespace, namespaceUid } = await scene.row(own);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, namespaceUid!);
  const task = { apiVersion: "batch/v1", kind: "Job", name: "task" };
  const { metadata } = await space.create({ ...task, metadata: { name: task.name }, spec: sleepingTask() }, CALL);
  const isOfTask = ({ metadata: { name } }: KubeObject) => name.startsWith("task-");
  const pod = await until(async () => (await objects(scene, own, "Pod")).find(isOfTask));
  await until(async () => (await scene.operations(own))[0]!.label.includes(pod.metadata.name)); // a try that began after it
  scene.simulator.faults.remove(fault);
  assert.equal(await jobNames(scene, own, "upgrade"), []);
  await space.delete(task, metadata.uid!, CALL);
  assert.is((await scene.ended(own, "upgrade")).state, "succeeded");
});

test("stops for a removal, which then has the site", async ({ scene, id }) => {
  const fault = scene.simulator.faults.answer(503, { method: "GET", path: "/jobs?labelSelector=op%3Dupgrade" });
  await ask(scene, id, "upgrade", { lmsVersion: "5.3.1", skipBackup: false });
  await until(async () => (await scene.operations(id))[0]!.failure?.step === "migrate");
  await scene.db.transact((tx) => acceptRemoval(tx, scene.actor, id));
  scene.simulator.faults.remove(fault);
  const removed = await until(async () => {
    const [row] = await scene.db.sql("select state, lms_version from spokes where id = $1", [id]);
    return row.state === "removed" && row;
  }, 60_000);
  assert.is(removed.lmsVersion, "5.2.7");
  const [upgrade] = (await scene.operations(id)).filter(({ kind }) => kind === "upgrade");
  assert.is(upgrade!.state, "cancelled");
});

test.run();
