import { suite } from "uvu";
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diffObjects } from "#lib/drivers/cluster/diff.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import { until } from "#test/support/until.ts";
import { CALL, sleepingTask } from "#test/lib/workers/actions/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import {
  installSpoke,
  listJobNames,
  listObjects,
  NEW,
  OLD,
  readSiteState,
  requestAction,
  runUpgrade,
  siteStateOf,
} from "./scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("an upgrade");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
test.after(({ scene }) => scene.close());

/** API calls whose failure blocks the upgrade, by step. */
const STEP_FAULTS: readonly (readonly [step: string, method: string, path: string])[] = [
  ["prepare", "POST", "/jobs"],
  ["backup", "POST", "/volumesnapshots"],
  ["stop", "PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright"],
  ["migrate", "GET", "/jobs?labelSelector=op%3Dupgrade"],
  ["app", "PATCH", "/services/moodle"],
  ["cron", "PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright&force=true"],
  ["health", "GET", "/jobs/health-"],
];

test("changes the row only at the end, and takes a backup before it changes the site", async ({ scene, id }) => {
  const before = await scene.row(id), old = await readSiteState(scene, id);
  assert.equal(old, siteStateOf(OLD));
  const faults = STEP_FAULTS.map(([, method, path]) => scene.simulator.faults.answer(503, { method, path }));
  await requestAction(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  for (const [i, [step]] of STEP_FAULTS.entries()) {
    const job = await until(async () => {
      const [latest] = await scene.operations(id);
      // Polling a Job retries such responses, so the step is blocked once the Job exists.
      const isBlocked = step === "health"
        ? (await listJobNames(scene, id, step)).length > 0
        : latest!.failure?.step === step;
      return latest!.label !== "Waiting to start" && isBlocked && latest!;
    });
    assert.is(job.kind, "upgrade");
    const row = await scene.row(id);
    assert.equal([row.state, row.lmsVersion, row.blueprintInputs], ["updating", OLD, before.blueprintInputs], step);
    if (["prepare", "backup", "stop"].includes(step)) assert.equal(await readSiteState(scene, id), old, step);
    if (step === "backup") assert.equal(await listJobNames(scene, id, "upgrade"), []);
    scene.simulator.faults.remove(faults[i]!);
  }
  const job = await scene.ended(id, "upgrade");
  assert.is(job.state, "succeeded");
  assert.equal(await readSiteState(scene, id), siteStateOf(NEW));
  const row = await scene.row(id);
  assert.equal([row.state, row.health, row.stateReason, row.lmsVersion], ["active", "healthy", null, NEW]);
  assert.is(row.siteIdentifier, before.siteIdentifier);
  const { images, version, ...others } = row.blueprintInputs,
    { images: _, version: __, ...othersBefore } = before.blueprintInputs;
  assert.equal([version, images.postgres, others], [NEW, before.blueprintInputs.images.postgres, othersBefore]);
  assert.is(row.blueprintRevision, before.blueprintRevision);
});

test("mounts the PHP settings only at the path of the new image", async ({ scene, id }) => {
  const [moodle] = await listObjects(scene, id, "Deployment");
  const mounts = moodle!["spec"].template.spec.containers[0].volumeMounts.map((each: { mountPath: string }) =>
    each.mountPath
  );
  assert.equal(mounts.filter((path: string) => path.includes("fpm")), ["/etc/php84/php-fpm.d/zz-size.conf"]);
});

test("takes snapshots, stops the site, runs one upgrade Job and starts the site, in this order", async ({ scene, id }) => {
  const [job] = await scene.operations(id);
  const { namespace } = await scene.row(id);
  const writes = scene.simulator.writes().filter(({ path, changed }) => changed && path.includes(`/${namespace}/`));
  const first = (method: string, path: RegExp) =>
    writes.findIndex((each) => each.method === method && path.test(each.path));
  const changes = scene.simulator.history().filter((each) => each.namespace === namespace);
  const started = changes.findIndex(({ kind, name }) => kind === "Job" && name.startsWith("upgrade-"));
  const down = changes.findLastIndex(({ kind, name, replicas }, at) =>
    kind === "Deployment" && name === "moodle" && replicas === 0 && at < started
  );
  const snapshots = changes.findLastIndex(({ kind, type }) => kind === "VolumeSnapshot" && type === "ADDED");
  const up = changes.findIndex(({ kind, replicas }, at) => kind === "Deployment" && replicas === 1 && at > started);
  assert.ok(
    snapshots >= 0 && snapshots < down && down < started && started < up,
    `${snapshots} ${down} ${started} ${up}`,
  );
  assert.ok(first("POST", /volumesnapshots/) > 0);
  const names = await listJobNames(scene, id, "upgrade");
  const { progress } = requireJobData(OPERATIONS.upgrade.kind, job!);
  assert.equal(names, progress.upgrades);
  assert.ok(progress.parts!.count > 50, "the progress covers all parts");
  const [run] = (await listObjects(scene, id, "Job")).filter(({ metadata }) => metadata.name === names[0]);
  const { containers: [moodle] } = run!["spec"].template.spec;
  assert.equal(moodle.env, [{ name: "AUTO_UPDATE_MOODLE", value: "true" }]);
  assert.is(run!["spec"].activeDeadlineSeconds, 6 * 3600);
  const [settings] = (await listObjects(scene, id, "ConfigMap")).filter(({ metadata }) =>
    metadata.name === "moodle-env"
  );
  assert.is(settings!["data"].AUTO_UPDATE_MOODLE, "false");
});

test("leaves all objects as in the blueprint of the new version", async ({ scene, id }) => {
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

test("reports the backup, and the old and new version", async ({ scene, id }) => {
  const [job] = await scene.operations(id);
  const [snapshot] = await listObjects(scene, id, "VolumeSnapshot");
  const [note] = readOperationNotes(job!);
  assert.match(note!, "Before the upgrade, the site ran 4.5.12 (Build");
  assert.match(note!, snapshot!.metadata.name);
  assert.match(note!, snapshot!["status"].boundVolumeSnapshotContentName);
  const [backup] = await selectRows(scene.db, "backups", { operationId: job!.id }, { columns: ["kind", "state"] });
  assert.equal([backup.kind, backup.state], ["upgrade", "ready"]);
  const audits = await selectRows(scene.db, "audit_events", { kind: "spoke_action_succeeded", spokeId: id }, {
    columns: ["metadata"],
  });
  assert.equal(audits.map(({ metadata }) => [metadata.action, metadata.from, metadata.to]), [["upgrade", OLD, NEW]]);
});

test("leaves no Job behind but its own", async ({ scene, id }) => {
  const names = (await listObjects(scene, id, "Job")).map(({ metadata }) => metadata.name.split("-")[0]);
  // Blocked Jobs remain until the cluster deletes them.
  assert.equal(
    [...new Set(names)].filter((name) => !["moodle", "install", "verify", "preflight", "health"].includes(name!)),
    ["upgrade"],
  );
});

test("keeps maintenance mode", async ({ scene, id }) => {
  await requestAction(scene, id, "maintenance-on");
  assert.is((await scene.ended(id, "maintenance-on")).state, "succeeded");
  const job = await runUpgrade(scene, id, "5.2.7");
  assert.equal([job.state, job.failure], ["succeeded", null]);
  const row = await scene.row(id);
  assert.equal([row.state, row.maintenance, row.lmsVersion], ["active", true, "5.2.7"]);
  assert.equal((await readSiteState(scene, id)).cronPaused, true);
  const [run] = (await listObjects(scene, id, "Job")).filter(({ metadata }) =>
    metadata.name === requireJobData(OPERATIONS.upgrade.kind, job).progress.upgrades![0]
  );
  assert.is(run!["spec"].activeDeadlineSeconds, 3 * 3600, "a step within a branch");
  await requestAction(scene, id, "maintenance-off");
  assert.is((await scene.ended(id, "maintenance-off")).state, "succeeded");
});

test("ignores the result of an old Job that could not be deleted", async ({ scene }) => {
  const other = await installSpoke(scene, "geometry");
  scene.simulator.faults.answer(403, { method: "DELETE", path: "/jobs/verify-", times: 1 });
  const job = await runUpgrade(scene, other, NEW);
  assert.equal([job.state, job.failure], ["succeeded", null]);
});

test("waits for a scheduled task that starts while the CronJob is suspended", async ({ scene }) => {
  const own = await installSpoke(scene, "calculus"), path = "/jobs?labelSelector=op%3Dupgrade";
  const fault = scene.simulator.faults.answer(503, { method: "GET", path });
  await requestAction(scene, own, "upgrade", { lmsVersion: NEW, skipBackup: false });
  await until(async () => (await scene.operations(own))[0]!.failure?.step === "migrate");
  const { cluster, namespace, namespaceUid } = await scene.row(own);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, namespaceUid!);
  const task = { apiVersion: "batch/v1", kind: "Job", name: "task" };
  const { metadata } = await space.create({ ...task, metadata: { name: task.name }, spec: sleepingTask() }, CALL);
  const isOfTask = ({ metadata: { name } }: KubeObject) => name.startsWith("task-");
  const pod = await until(async () => (await listObjects(scene, own, "Pod")).find(isOfTask));
  await until(async () => (await scene.operations(own))[0]!.label.includes(pod.metadata.name)); // an attempt that started after the pod
  scene.simulator.faults.remove(fault);
  assert.equal(await listJobNames(scene, own, "upgrade"), []);
  await space.delete(task, metadata.uid!, CALL);
  assert.is((await scene.ended(own, "upgrade")).state, "succeeded");
});

test("is cancelled by a removal", async ({ scene, id }) => {
  const fault = scene.simulator.faults.answer(503, { method: "GET", path: "/jobs?labelSelector=op%3Dupgrade" });
  await requestAction(scene, id, "upgrade", { lmsVersion: "5.3.1", skipBackup: false });
  await until(async () => (await scene.operations(id))[0]!.failure?.step === "migrate");
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, id));
  scene.simulator.faults.remove(fault);
  const removed = await until(async () => {
    const [row] = await selectRows(scene.db, "spokes", { id }, { columns: ["state", "lmsVersion"] });
    return row.state === "removed" && row;
  }, 60_000);
  assert.is(removed.lmsVersion, "5.2.7");
  const [upgrade] = (await scene.operations(id)).filter(({ kind }) => kind === "upgrade");
  assert.is(upgrade!.state, "cancelled");
});

test.run();
