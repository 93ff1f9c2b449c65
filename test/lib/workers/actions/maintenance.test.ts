import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FenceLostError } from "#lib/jobs/fence.ts";
import { maintenanceOn } from "#lib/workers/actions/maintenance.ts";
import { rejection, until } from "#test/support/until.ts";
import { CALL, type Clinic, holderOf, openClinic, sleepingTask } from "./scene.ts";

const test = suite<{ clinic: Clinic }>("maintenance");
test.before(async (context) => void (context.clinic = await openClinic()));
test.before.each(async ({ clinic }) => {
  clinic.scene.simulator.faults.clear();
  if ((await clinic.row()).maintenance || clinic.cron()["spec"].suspend) await clinic.does("maintenance-off");
});
test.after(({ clinic }) => clinic.close());

const paused = (clinic: Clinic): boolean => clinic.cron()["spec"].suspend === true;
const closed = (clinic: Clinic): boolean => clinic.site().files.maintenance === true;

async function facts(clinic: Clinic) {
  const { state, health, maintenance } = await clinic.row();
  return { state, health, maintenance, closed: closed(clinic), paused: paused(clinic) };
}

const ON = { state: "active", health: "healthy", maintenance: true, closed: true, paused: true };
const OFF = { state: "active", health: "healthy", maintenance: false, closed: false, paused: false };

test("updates the row once the login page shows the mode", async ({ clinic }) => {
  let release = clinic.holdBack("closed-");
  await clinic.ask("maintenance-on");
  await clinic.passes("maintenance-on", "enable");
  assert.equal(await facts(clinic), { ...ON, state: "updating", maintenance: false });
  release();
  assert.is((await clinic.scene.ended(clinic.id, "maintenance-on")).state, "succeeded");
  assert.equal(await facts(clinic), ON);

  release = clinic.holdBack("health-");
  await clinic.ask("maintenance-off");
  await clinic.passes("maintenance-off", "cron");
  assert.equal(await facts(clinic), { ...OFF, state: "updating", maintenance: true });
  release();
  assert.is((await clinic.scene.ended(clinic.id, "maintenance-off")).state, "succeeded");
  assert.equal(await facts(clinic), OFF);
  const left = clinic.objects("Job").map(({ metadata }) => metadata.name).filter((name) => /^(main|closed)/.test(name));
  assert.equal(left, []);
});

test("starts only after scheduled tasks have ended", async ({ clinic }) => {
  const release = clinic.holdBack("maintenance-enable-");
  const space = await clinic.space();
  const task = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "task" }, spec: sleepingTask() };
  await space.create(task, CALL);
  const pod = await until(() => clinic.objects("Pod").find(({ metadata }) => metadata.labels?.["job-name"] === "task"));
  await until(() =>
    clinic.objects("Pod").some(({ metadata, status }) =>
      metadata.uid === pod.metadata.uid && status?.phase === "Running"
    )
  );
  await clinic.ask("maintenance-on");
  const waiting = await until(async () => {
    const last = await clinic.last("maintenance-on");
    return last.label.includes(pod.metadata.name) && last;
  });
  assert.equal([paused(clinic), waiting.finishedSteps, closed(clinic)], [true, [], false]);
  const job = clinic.objects("Job").find(({ metadata }) => metadata.name === "task")!;
  await space.delete({ ...task, name: "task" }, job.metadata.uid!, CALL);
  await clinic.passes("maintenance-on", "cron");
  release();
  assert.is((await clinic.scene.ended(clinic.id, "maintenance-on")).state, "succeeded");
});

test("succeeds if it is already on or off", async ({ clinic }) => {
  for (
    const [action, expected] of [["maintenance-off", OFF], ["maintenance-on", ON], ["maintenance-on", ON]] as const
  ) {
    assert.is((await clinic.does(action)).state, "succeeded");
    assert.equal(await facts(clinic), expected);
  }
});

test("stays on through restart, suspend and resume", async ({ clinic }) => {
  await clinic.does("maintenance-on");
  const release = clinic.holdBack("closed-");
  await clinic.ask("restart");
  await clinic.passes("restart", "app");
  assert.is((await clinic.row()).state, "updating");
  release();
  assert.is((await clinic.scene.ended(clinic.id, "restart")).state, "succeeded");
  assert.equal(await facts(clinic), ON);
  assert.is((await clinic.does("suspend")).state, "succeeded");
  assert.is((await clinic.does("resume")).state, "succeeded");
  assert.equal(await facts(clinic), ON);
});

test("fails a restart if it was turned off manually", async ({ clinic }) => {
  await clinic.does("maintenance-on");
  const site = clinic.site();
  site.saveFiles({ ...site.files, maintenance: false });
  const { state, failure } = await clinic.does("restart");
  assert.equal([state, failure!.code], ["failed", "Unhealthy"]);
  assert.match(failure!.message, /responded with 200 instead of 503/);
  assert.match(failure!.hint!, /maintenance-on/);
});

test("changes nothing if it cannot be turned on, and reports the reason", async ({ clinic }) => {
  clinic.scene.simulator.faults.failJob("maintenance-enable-", { log: ["Error opening maintenance files!"] });
  const { state, failure } = await clinic.does("maintenance-on");
  assert.equal([state, failure!.step], ["failed", "enable"]);
  assert.match(failure!.message, /^Maintenance mode could not be turned on because .*Error opening maintenance files!/);
  assert.equal(await facts(clinic), OFF);
  assert.is((await clinic.row()).stateReason, failure!.message);
});

test("reports paused tasks after it was turned off, and can be requested again", async ({ clinic }) => {
  await clinic.does("maintenance-on");
  clinic.scene.simulator.faults.answer(403, { method: "PATCH", path: "/cronjobs/moodle-cron" });
  const { state, failure } = await clinic.does("maintenance-off");
  assert.equal([state, failure!.step], ["failed", "cron"]);
  assert.equal(await facts(clinic), { ...OFF, paused: true, health: "degraded" });
  clinic.scene.simulator.faults.clear();
  assert.is((await clinic.does("maintenance-off")).state, "succeeded");
  assert.equal([await facts(clinic), (await clinic.row()).stateReason], [OFF, null]);
});

test("updates the row from the login page although its Job failed", async ({ clinic }) => {
  const site = clinic.site();
  site.saveFiles({ ...site.files, maintenance: true });
  clinic.scene.simulator.faults.failJob("maintenance-enable-");
  assert.is((await clinic.does("maintenance-on")).state, "failed");
  assert.equal(await facts(clinic), ON);
});

test("updates the row although the login page cannot be read", async ({ clinic }) => {
  clinic.scene.simulator.faults.failJob("closed-", { log: ["curl: (28) Operation timed out"] });
  const { state, failure } = await clinic.does("maintenance-on");
  assert.equal([state, failure!.step, failure!.code], ["failed", "health", "Unhealthy"]);
  assert.equal(await facts(clinic), ON);
  clinic.scene.simulator.faults.clear();
  clinic.scene.simulator.faults.failJob("health-");
  clinic.scene.simulator.faults.failJob("closed-");
  assert.is((await clinic.does("maintenance-off")).state, "failed");
  assert.equal(await facts(clinic), OFF);
});

test("is switched once, whichever reply of the cluster is lost", async ({ clinic }) => {
  const { faults } = clinic.scene.simulator;
  for (const [action, expected] of [["maintenance-on", ON], ["maintenance-off", OFF]] as const) {
    for (const [method, path] of [["PATCH", "/cronjobs/"], ["POST", "/jobs"], ["DELETE", "/jobs/"]] as const) {
      faults.cut({ method, path, at: "performed", times: 1 });
    }
    assert.is((await clinic.does(action)).state, "succeeded");
    assert.equal(await facts(clinic), expected);
  }
});

test("is not turned on again by a late Job or holder", async ({ clinic }) => {
  const job = await clinic.does("maintenance-on");
  await clinic.does("maintenance-off");
  const { blueprintInputs: inputs } = await clinic.row();
  const late = clinic.scene.app.blueprint.jobObject(inputs, "maintenance-enable", job.fence);
  const result = await (await clinic.space()).run(late, { ...CALL, timeout: 20_000 });
  assert.is(result.succeeded, false);
  assert.match(result.log.join("\n"), /not switched: attempt \d+ has begun after this one/);
  const { steps } = maintenanceOn(clinic.scene.app);
  assert.instance(await rejection(steps["cron"]!(holderOf(clinic, job, job.fence))), FenceLostError);
  assert.equal(await facts(clinic), OFF);
});

test.run();
