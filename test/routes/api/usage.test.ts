/** Tests requests for the usage of spokes and hubs, the job that adds it up, and the portal's pages that show it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY } from "#lib/base/time.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { sumUsage } from "#lib/workers/upkeep/usage.ts";
import { parsePage } from "#test/support/page.ts";
import { insertRow, NOW, selectRows, updateRows } from "#test/support/rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const GIB = 2 ** 30;
const AMOUNTS = {
  ...{ filesUsed: 8 * GIB, filesSize: 10 * GIB, databaseUsed: GIB, databaseSize: 5 * GIB },
  ...{ users: 1200, activeUsers: 310, courses: 45 },
};

const BUSY_AT = new Date("2026-11-20T10:00:00Z");

const test = suite<{ scene: Scene; oak: string; hub: string }>("the usage of spokes and hubs");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  const [{ id, federationId }] = await selectRows(scene.db, "spokes", { slug: "oak" });
  Object.assign(context, { oak: id, hub: federationId });
  await insertRow(scene.db, "spoke_usage", { spokeId: id, observedAt: NOW, measuredAt: NOW, tasksAt: NOW, ...AMOUNTS });
  await updateRows(scene.db, "spoke_usage", { workersBusy: 40, workersBusyAt: BUSY_AT }, { spokeId: id });
  await updateRows(scene.db, "spokes", { storagePercent: 80, state: "active" }, { id });
});
test.after.each(({ scene }) => scene.close());

async function addSamples({ scene, oak }: { scene: Scene; oak: string }, days: number): Promise<void> {
  await scene.db.sql(
    `insert into usage_samples (spoke_id, grain, at, files_used, files_size, database_used, database_size, users, restarts,
      workers_busy)
     select $1, grain, date_trunc(grain, now() - i * ('1 ' || grain)::interval, 'UTC'), ($3::bigint - i * $4::bigint), $5::bigint, 1, 9, 7, 1,
       2
     from generate_series(0, $2::int - 1) as i, unnest(array['hour', 'day']) as grain`,
    [oak, days, 8 * GIB, GIB / 4, 10 * GIB],
  );
}

/** Runs all steps of the job once. */
async function sum({ db }: Scene): Promise<void> {
  const run = { throwIfStopped: () => {}, write: (work) => db.transact(work) } as JobRun;
  for (const step of Object.values(sumUsage({ db }).steps)) await step(run as never);
}

test("shows the latest values, hourly samples of two days, and when the disk will be full", async (context) => {
  const { scene, oak } = context;
  await addSamples(context, 10);
  const { status, body } = await scene.as("spokeAdmin", "readonly").get(`/api/spokes/${oak}/usage`);
  assert.is(status, 200);
  const { samples, measuredAt: _, tasksAt: __, fullAt, ...latest } = body;
  assert.equal(latest, {
    ...{ spokeId: oak, ...AMOUNTS, storagePercent: 80, fullestDisk: "files", step: "hour" },
    ...{ failingTasks: null, failingTaskNames: [], tasksWaitingSince: null, failedChecks: null, checkedAt: null },
    workersBusyAt: BUSY_AT.toISOString(),
  });
  assert.is(samples.length, 10);
  assert.is(samples[0].workersBusy, 2);
  assert.equal([samples.at(-1).filesUsed, samples[0].filesUsed], [8 * GIB, (8 - 9 / 4) * GIB], "the oldest first");
  const days = (Date.parse(fullAt) - Date.now()) / DAY;
  assert.ok(days > 6 && days < 10, `2 GiB are left, and a quarter is used each day: ${days}`);
  const daily = (await scene.as("spokeAdmin", "readonly").get(`/api/spokes/${oak}/usage?days=4`)).body;
  assert.equal([daily.step, daily.samples.length], ["day", 4]);
});

test("shows a spoke that has not reported anything", async ({ scene, oak }) => {
  await scene.db.sql("delete from spoke_usage");
  const { body } = await scene.as("operator", "readonly").get(`/api/spokes/${oak}/usage`);
  assert.equal([body.measuredAt, body.filesUsed, body.storagePercent, body.samples], [null, null, null, []]);
});

test("refuses other periods", async ({ scene, oak, hub }) => {
  for (const path of [`/api/spokes/${oak}/usage`, `/api/federations/${hub}/usage`]) {
    for (const days of ["0", "731", "-1", "1.5", "all", ""]) {
      assert.is((await scene.as("operator", "readonly").get(`${path}?days=${days}`)).status, 400, days);
    }
  }
});

test("adds up the spokes of a hub for its admins, and not for admins of one spoke", async ({ scene, hub, oak }) => {
  const path = `/api/federations/${hub}/usage`, admin = scene.as("hubAdmin", "readonly");
  const none = (await admin.get(path)).body;
  assert.equal([none.measuredAt, none.spokes, none.filesUsed, none.samples], [null, 0, null, []]);
  const { body: elm } = await scene.as("operator", "cli").post(`/api/federations/${hub}/spokes`, { slug: "elm" });
  const elmUsage = { spokeId: elm.id, observedAt: NOW, measuredAt: NOW, filesUsed: 5, users: 3 };
  await insertRow(scene.db, "spoke_usage", elmUsage);
  await sum(scene);
  await sum(scene);
  const { samples, ...sums } = (await admin.get(path)).body;
  assert.equal([sums.filesUsed, sums.users, sums.spokes, sums.fullSpokes, samples.length], [
    ...[8 * GIB + 5, 1203, 2, 1, 1],
  ]);
  assert.is((await scene.as("spokeAdmin", "readonly").get(path)).status, 403);
  assert.is((await scene.as("stranger", "readonly").get(path)).status, 404);
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: oak });
  await sum(scene);
  assert.is((await admin.get(path)).body.users, 3);
});

test("keeps samples for 48 hours by hour and for two years by day", async (context) => {
  await addSamples(context, 800);
  await sum(context.scene);
  const kept = await selectRows(context.scene.db, "usage_samples");
  const count = (grain: string) => kept.filter((sample) => sample.grain === grain).length;
  assert.ok([47, 48].includes(count("hour")) && [730, 731].includes(count("day")), `${count("hour")} ${count("day")}`);
});

test("is shown on the pages of the spoke and of the hub", async (context) => {
  const { scene, oak, hub } = context;
  await addSamples(context, 10);
  await sum(scene);
  const page = await parsePage(scene, `/spokes/${oak}`, "hubAdmin");
  assert.match(page.text, /All PHP workers busy\s*\d+ times in this period, last/);
  assert.match(page.text, /Files\s*8 GiB of 10 GiB \(80%\)/);
  assert.match(page.text, /1,200, 310 active in 30 days/);
  const html = await (await scene.as("hubAdmin").get(`/spokes/${oak}?days=2`)).body;
  assert.match(html, /aria-label="Storage used\. Files: from 57\.5% to 80%\. Database: from 11\.1% to 11\.1%"/);
  assert.match((await parsePage(scene, `/hubs/${hub}`, "hubAdmin")).text, /9 GiB\s*Storage used of 15 GiB/);
  assert.not.match((await parsePage(scene, `/hubs/${hub}`, "spokeAdmin")).text, /Storage used/);
});

test.run();
