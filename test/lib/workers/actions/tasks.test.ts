import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { FENCE_METADATA_KEY } from "#lib/moodle/names.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { pauseCron, resumeCron } from "#lib/steps/workloads.ts";
import { runCron } from "#lib/workers/actions/tasks.ts";
import { openSpokeSite } from "#lib/steps/site.ts";
import { rejection, until } from "#test/support/until.ts";
import { auditsOf, CALL, type Clinic, holderOf, openClinic } from "./scene.ts";
import { deleteAsAdmin } from "#test/support/service-account.ts";

const test = suite<{ clinic: Clinic }>("tasks");
test.before(async (context) => void (context.clinic = await openClinic()));
test.before.each(({ clinic }) => clinic.scene.simulator.faults.clear());
test.after(({ clinic }) => clinic.close());

/** Returns the names of all Jobs that were created with this prefix. */
function made({ scene, namespace }: Clinic, prefix: string): string[] {
  const paths = scene.simulator.writes().filter(({ method, path, status }) =>
    method === "POST" && status === 201 && path.includes(`/namespaces/${namespace}/jobs`)
  );
  assert.ok(paths.length > 0);
  return [
    ...new Set(
      scene.simulator.history().filter(({ kind, namespace: at, name }) =>
        kind === "Job" && at === namespace && name.startsWith(prefix)
      ).map(({ name }) => name),
    ),
  ];
}

for (const [action, job] of [["purge-caches", "purge-"], ["run-cron", "run-cron-"]] as const) {
  test(`${action} has succeeded once its Job has, leaves the spoke as it was, and no Job`, async ({ clinic }) => {
    const before = await clinic.row();
    const release = clinic.holdBack(job);
    await clinic.ask(action);
    await until(async () => (await clinic.last(action)).attempt > 1);
    assert.ok(["running", "queued"].includes((await clinic.last(action)).state));
    assert.equal(await clinic.row(), { ...before, visibleEvents: (await clinic.row()).visibleEvents });
    release();
    const { state, id } = await clinic.scene.ended(clinic.id, action);
    assert.is(state, "succeeded");
    const after = await clinic.row();
    assert.equal([after.state, after.stateReason, after.updatedAt], ["active", null, before.updatedAt]);
    assert.equal(clinic.objects("Job").filter(({ metadata }) => metadata.name.startsWith(job)), []);
    const audits = (await auditsOf(clinic)).filter(({ metadata }) => metadata["operationId"] === id);
    assert.equal(audits.map(({ kind, metadata }) => [kind, metadata["action"]]), [
      ["spoke_actioned", action],
      ["spoke_action_succeeded", action],
    ]);
  });

  test(`${action} whose Job fails says why, and leaves the spoke as it was`, async ({ clinic }) => {
    const log = ["Exception - Call to undefined function", "*** Failed with return value: 0"];
    clinic.scene.simulator.faults.failJob(job, { log });
    const { state, failure, id } = await clinic.does(action);
    assert.equal([state, failure!.code, failure!.log], ["failed", "PhpFatal", log]);
    assert.match(failure!.message, /could not be (purged|run) because Moodle failed with an error/);
    const { state: after, stateReason } = await clinic.row();
    assert.equal([after, stateReason], ["active", null]);
    assert.equal(clinic.objects("Job").filter(({ metadata }) => metadata.name.startsWith(job)), []);
    const audits = (await auditsOf(clinic)).filter(({ metadata }) => metadata["operationId"] === id);
    assert.equal(audits.map(({ kind }) => kind), ["spoke_actioned", "spoke_action_failed"]);
    assert.equal([audits[1]!.metadata["action"], audits[1]!.metadata["code"]], [action, "PhpFatal"]);
  });
}

test("fails at the deadline of a hanging Job, and reports a missing image", async ({ clinic }) => {
  const { faults } = clinic.scene.simulator;
  faults.add({ type: "hanging-job", name: "run-cron-", log: ["... started 00:00:00."] });
  assert.is((await clinic.does("run-cron")).failure!.code, "DeadlineExceeded");
  faults.missingImage((await clinic.row()).blueprintInputs.images.moodle);
  const { state, failure } = await clinic.does("purge-caches");
  assert.equal([state, failure!.code], ["failed", "ErrImagePull"]);
});

test("run-cron does not block the pausing of scheduled tasks when it hangs", async ({ clinic }) => {
  const cron = clinic.cron(), { apiVersion, kind } = cron, { name, uid } = cron.metadata;
  const job = { ...jobLike(clinic), metadata: { name: "run-cron-1" } } as KubeObject;
  job.metadata.ownerReferences = [{ apiVersion, kind, name, uid: uid! }];
  job["spec"] = structuredClone(job["spec"]);
  job["spec"].template.spec.containers[0].command = ["sleep", "1000"];
  const space = await clinic.space();
  await space.create(job, CALL);
  await until(() =>
    clinic.objects("Pod").some(({ metadata, status }) =>
      metadata.labels!["job-name"] === "run-cron-1" && status?.phase === "Running"
    )
  );
  const patience = [100]; // the next wait is not limited
  const run = holderOf(clinic, await clinic.last("run-cron"), "8000000000");
  await pauseCron(await openSpokeSite(clinic.scene.app, run), { ...run, timeLeft: () => patience.pop() ?? 20_000 });
  assert.not.ok(clinic.objects("Job").some(({ metadata }) => metadata.name === "run-cron-1"));
  const resumed = holderOf(clinic, await clinic.last("run-cron"), "8000000001");
  await resumeCron(await openSpokeSite(clinic.scene.app, resumed), resumed);
  // Later tests write the CronJob with fences of real jobs.
  const { metadata } = clinic.cron(), path = `/metadata/annotations/${FENCE_METADATA_KEY.replaceAll("/", "~1")}`;
  assert.is(metadata.annotations![FENCE_METADATA_KEY], "8000000001");
  await space.patch({ apiVersion, kind, name }, [{ op: "remove", path }], CALL);
});

test("run-cron runs the CronJob's template, owned but not controlled by the CronJob", async ({ clinic }) => {
  const cron = clinic.cron(), pod = structuredClone(cron["spec"].jobTemplate.spec.template.spec);
  const before = made(clinic, "run-cron-");
  clinic.scene.simulator.faults.answer(500, { method: "DELETE", path: "/jobs/run-cron-" }); // keeps the Job for the assertions
  await clinic.ask("run-cron");
  const { metadata, spec } = await until(() =>
    clinic.objects("Job").find(({ metadata: { name } }) => name.startsWith("run-cron-") && !before.includes(name))
  );
  assert.equal((await clinic.scene.ended(clinic.id, "run-cron")).state, "succeeded");
  assert.equal(spec.template.spec, pod);
  assert.is(spec.template.metadata.labels.op, "cron");
  assert.equal(metadata.ownerReferences, [
    { apiVersion: "batch/v1", kind: "CronJob", name: "moodle-cron", uid: cron.metadata.uid },
  ]);
  assert.is(metadata.labels!["wheelwright.dev/spoke"], clinic.id);
  assert.is(metadata.labels!["wheelwright.dev/fence"], (await clinic.last("run-cron")).fence);
});

test("run-cron continues with the Job of an earlier holder", async ({ clinic }) => {
  const { faults } = clinic.scene.simulator;
  const before = made(clinic, "run-cron-").length;
  faults.answer(500, { method: "GET", path: "/log", times: 4 }); // the holder has to start waiting again
  faults.cut({ method: "POST", path: "/jobs", at: "performed", times: 1 });
  assert.is((await clinic.does("run-cron")).state, "succeeded");
  assert.is(made(clinic, "run-cron-").length, before + 1);
  const job = await clinic.last("run-cron"), cronJob = made(clinic, "run-cron-").at(-1)!;
  assert.is(requireJobData(OPERATIONS["run-cron"].kind, job).progress.cronJob, cronJob);
  const space = await clinic.space();
  await space.create({ ...jobLike(clinic), metadata: { name: cronJob } }, CALL);
  const next = holderOf(clinic, job, String(BigInt(job.fence) + 1000n));
  await runCron(clinic.scene.app).steps["run"]!(next);
  assert.is(made(clinic, "run-cron-").length, before + 1);
});

function jobLike(clinic: Clinic): KubeObject {
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "" }, spec: clinic.cron()["spec"].jobTemplate.spec };
}

test("run-cron reports a deleted CronJob", async ({ clinic }) => {
  const cron = clinic.cron();
  await deleteAsAdmin(clinic.scene.simulator, cron);
  const { state, failure } = await clinic.does("run-cron");
  assert.equal([state, failure!.code, failure!.fault], ["failed", "NotFound", "operator"]);
  const { apiVersion, kind, spec } = cron, { name, labels } = cron.metadata;
  await (await clinic.space()).create({ apiVersion, kind, metadata: { name, labels: labels! }, spec }, CALL);
});

test("run-cron is refused in maintenance mode, also if it was turned on meanwhile", async ({ clinic }) => {
  assert.is((await clinic.does("maintenance-on")).state, "succeeded");
  const { scene } = clinic;
  await scene.db.transact(async (tx) => {
    await sql`update spokes set maintenance = false where id = ${clinic.id}`.execute(tx);
    await checkAndEnqueueAction(scene.app, tx, scene.actor, clinic.id, { action: "run-cron", parameters: {} });
    await sql`update spokes set maintenance = true where id = ${clinic.id}`.execute(tx);
  });
  const { state, failure } = await scene.ended(clinic.id, "run-cron");
  assert.equal([state, failure!.code, failure!.fault], ["failed", "Maintenance", "user"]);
  assert.match(failure!.hint!, /Turn off maintenance mode/);
  assert.is((await rejection(clinic.ask("run-cron"))).code, "spoke_state");
  assert.is((await clinic.does("maintenance-off")).state, "succeeded");
  assert.is((await clinic.does("run-cron")).state, "succeeded");
});

test.run();
