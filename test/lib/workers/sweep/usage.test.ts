/** Tests how the sweep reads what sites report about their usage, from pods in the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MINUTE } from "#lib/base/time.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { selectRows } from "#test/support/rows.ts";
import { until } from "#test/support/until.ts";
import { lookOnce } from "./checks.ts";
import { buildUsageLine, currentSecond, openTaskSite, runTasks, type TaskSite, usageOf } from "./tasks.ts";

const GIB = 2 ** 30;

const test = suite<TaskSite>("the usage of a site");
test.before(async (context) => void Object.assign(context, await openTaskSite()));
test.after(({ scene }) => scene.close());

test("is stored from the newest pod that ran the scheduled tasks, as a sample of the hour and of the day", async (context) => {
  const { scene, id } = context, { message, finishedAt } = await runTasks(context);
  const reported = JSON.parse(message);
  await lookOnce(scene.app);
  const usage = await usageOf(context);
  assert.equal(
    [usage.filesUsed, usage.filesSize, usage.databaseSize, usage.users, usage.courses],
    [String(reported.diskUsed), String(10 * GIB), String(5 * GIB), reported.users, reported.courses],
  );
  assert.is(usage.databaseUsed, String(reported.database + reported.databaseLog));
  assert.is(usage.measuredAt!.getTime(), reported.at * 1000);
  assert.is(usage.tasksAt!.getTime(), Date.parse(finishedAt));
  const samples = await selectRows(scene.db, "usage_samples", { spokeId: id });
  assert.equal(samples.map(({ grain, filesUsed }) => [grain, filesUsed]).sort(), [
    ["day", String(reported.diskUsed)],
    ["hour", String(reported.diskUsed)],
  ]);
  const { storagePercent } = await scene.row(id);
  assert.is(storagePercent, Math.floor(100 * reported.diskUsed / (10 * GIB)));
  assert.is((await selectRows(scene.db, "live_spokes", { spokeId: id }))[0]!.storagePercent, storagePercent);
});

test("is not written again for the same line", async (context) => {
  const { scene } = context, before = await usageOf(context);
  await lookOnce(scene.app);
  assert.equal(await usageOf(context), before);
});

test("keeps the earlier values if a site reports nonsense", async (context) => {
  const { scene } = context, before = await usageOf(context);
  const cut = JSON.stringify({ ...buildUsageLine(0, 1), more: "x".repeat(5000) });
  const nonsense = [
    "no JSON",
    "{}",
    "[1]",
    JSON.stringify(buildUsageLine(0, -1)),
    JSON.stringify(buildUsageLine(0, 2 ** 60)),
    cut,
  ];
  for (
    const message of [...nonsense, buildUsageLine(0, 5, { users: "many" }), buildUsageLine(0, 5.5), {
      ...buildUsageLine(0, 5),
      usage: 2,
    }]
  ) {
    const { message: kept } = await runTasks(context, () => message);
    assert.ok(kept.length <= 4096);
  }
  await lookOnce(scene.app);
  const { filesUsed, measuredAt } = await usageOf(context);
  assert.equal([filesUsed, measuredAt], [before.filesUsed, before.measuredAt]);
});

test("notifies users once per threshold, and again after the usage fell by five points", async (context) => {
  const { scene, id } = context;
  const reported: [number, number | null][] = [[79.9, null], [80, 80], [85, null], [96, 95], [91, null], [95.5, null], [
    84,
    null,
  ], [90, 90]];
  const expected: number[] = [];
  for (const [percent, threshold] of reported) {
    await runTasks(context, () => buildUsageLine(0, Math.ceil(percent * GIB / 10)));
    await until(async () => {
      await lookOnce(scene.app);
      return Number((await usageOf(context)).filesUsed) === Math.ceil(percent * GIB / 10);
    });
    assert.is((await scene.row(id)).storagePercent, Math.floor(percent));
    if (threshold !== null) expected.push(threshold);
    const events = await selectRows(scene.db, "audit_events", { kind: "spoke_storage_low" }, { orderBy: "at" });
    assert.equal(events.map(({ metadata }) => (metadata as Json).threshold), expected, `${percent}%`);
  }
  const [{ metadata }] = await selectRows(
    scene.db,
    "audit_events",
    { kind: "spoke_storage_low" },
    { orderBy: "at" },
  ) as [Json];
  assert.equal([metadata.slug, metadata.disk, metadata.percent, metadata.fullOn], ["algebra", "files", 80, null]);
  assert.is(metadata.message, "The files use 8 GiB of 10 GiB");
});

test("counts how often all PHP workers were busy since the previous report", async (context) => {
  const { scene, id } = context;
  const report = async (workersBusy: number, workersBusyAt: number | null) => {
    await runTasks(context, () => buildUsageLine(0, GIB, { workersBusy, workersBusyAt }));
    await lookOnce(scene.app);
    const samples = await selectRows(scene.db, "usage_samples", { spokeId: id, grain: "day" });
    const usage = await usageOf(context);
    return [
      Number(usage.workersBusy),
      usage.workersBusyAt?.getTime() ?? null,
      samples.reduce((sum, each) => sum + each.workersBusy, 0),
    ];
  };
  assert.equal(await report(7, 1_795_000_000), [7, 1_795_000_000_000, 7], "the simulated site has reported 0 before");
  assert.equal(await report(9, 1_795_000_900), [9, 1_795_000_900_000, 9]);
  assert.equal(await report(2, null), [2, 1_795_000_900_000, 9], "a restored site has an older total");
  assert.equal(await report(3, 1_795_001_800), [3, 1_795_001_800_000, 10]);
});

test("adds no sample for a line whose time is wrong, except near the end of its pod", async (context) => {
  const { scene, id } = context;
  await runTasks(context, () => buildUsageLine(60 * 24 * 365, GIB));
  await lookOnce(scene.app);
  const { measuredAt } = await usageOf(context);
  assert.ok(measuredAt! <= new Date());
  assert.ok((await selectRows(scene.db, "usage_samples", { spokeId: id })).length <= 4, "at most a new hour and day");
});

test("is degraded while an upgrade is pending or a task waits for hours, but not while a task fails", async (context) => {
  const { scene, id } = context, health = async () => (await scene.row(id)).health;
  const report = async (more: object) => {
    const at = currentSecond();
    await runTasks(
      context,
      () => buildUsageLine(0, GIB, { checkedAt: at, failedChecks: [], failingTasks: 0, ...more }),
    );
    for (let i = 0; i < 3; i++) await lookOnce(scene.app);
  };
  await report({ failingTasks: 1, failingTaskNames: ["\\core\\task\\send_mail"], changedSettings: ["lang"] });
  assert.is(await health(), "healthy");
  const { taskHealth } = await usageOf(context);
  assert.equal([taskHealth.names, taskHealth.changedSettings], [["\\core\\task\\send_mail"], ["lang"]]);
  await report({ failedChecks: ["core_upgradecheck"] });
  assert.is(await health(), "degraded");
  await report({});
  assert.is(await health(), "healthy");
  await report({ tasksWaitingSince: currentSecond() - 4 * 3600 - 60 });
  assert.is(await health(), "degraded");
  await report({});
  assert.is(await health(), "healthy");
});

test("counts restarts, and makes a spoke degraded in a restart loop", async (context) => {
  const { scene, id } = context, { namespace } = await scene.row(id);
  const before = await selectRows(scene.db, "usage_samples", { spokeId: id, grain: "day" });
  const sum = (rows: readonly { restarts: number }[]) => rows.reduce((all, { restarts }) => all + restarts, 0);
  const pod = () =>
    scene.simulator.objects("Pod").find(({ metadata }) =>
      metadata.namespace === namespace && metadata.labels?.["app"] === "db"
    );
  const fault = scene.simulator.faults.add({ type: "crash", name: "db-0" });
  const { url } = scene.simulator;
  await fetch(`${url}/api/v1/namespaces/${namespace}/pods/db-0`, { method: "DELETE" });
  await until(() => pod()?.["status"].containerStatuses?.[0].state.waiting?.reason === "CrashLoopBackOff");
  await lookOnce(scene.app);
  const after = await selectRows(scene.db, "usage_samples", { spokeId: id, grain: "day" });
  assert.ok(sum(after) > sum(before));
  for (let check = 0; check < 2; check++) await lookOnce(scene.app);
  const reasons = (await selectRows(scene.db, "audit_events", { kind: "spoke_health_changed" }, { orderBy: "at" })).map(
    ({ metadata }) => String((metadata as Json).reason),
  );
  scene.simulator.faults.remove(fault);
  await fetch(`${url}/api/v1/namespaces/${namespace}/pods/db-0`, { method: "DELETE" });
  assert.match(reasons.at(-1)!, /The container postgres keeps restarting \(last end: Error, exit code 1\)/);
});

test("makes a spoke degraded when its scheduled tasks are silent for 30 minutes", async (context) => {
  const { scene, id } = context;
  await until(async () => {
    await lookOnce(scene.app);
    return (await scene.row(id)).health === "healthy";
  });
  await scene.db.shiftClock(31 * MINUTE);
  for (let check = 0; check < 3; check++) await lookOnce(scene.app);
  assert.is((await scene.row(id)).health, "degraded");
  const changes = await selectRows(scene.db, "audit_events", { kind: "spoke_health_changed" });
  assert.ok(
    changes.some(({ metadata }) =>
      (metadata as Json).reason === "The scheduled tasks have not succeeded for 30 minutes"
    ),
  );
  await scene.db.sql("update spokes set maintenance = true where id = $1", [id]);
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).health, "healthy", "maintenance stops the scheduled tasks");
});

test.run();
