/** Tests how usage.php counts busy PHP workers from the status of php-fpm. Skipped without PHP. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseUsageLine } from "#lib/moodle/usage-line.ts";
import { missingPhpReason } from "#test/support/php.ts";
import { closeSiteOnDisk, openSiteOnDisk, runUsageScript, type SiteOnDisk } from "./usage-script.ts";

const test = suite<SiteOnDisk>(`busy PHP workers${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;
test.before.each(async (context) => void Object.assign(context, await openSiteOnDisk()));
test.after.each(closeSiteOnDisk);

/** The parts of php-fpm's status that change, as measured with PHP 8.2 while 5 requests met 3 workers. */
interface WorkerStatus {
  readonly started: number;
  readonly reached: number;
  readonly total: number;
}

/** Measures again, with this status of php-fpm. */
async function measure(site: SiteOnDisk, status: WorkerStatus | string) {
  const text = typeof status === "string" ? status : JSON.stringify({
    ...{ "pool": "www", "process manager": "ondemand", "start time": status.started, "start since": 18 },
    ...{ "accepted conn": 14, "listen queue": 0, "max listen queue": 0, "listen queue len": 0, "idle processes": 0 },
    ...{ "active processes": 1, "total processes": status.total, "max active processes": status.reached ? 3 : 2 },
    ...{ "max children reached": status.reached, "slow requests": 0 },
  });
  await writeFile(join(site.directory, "data/wheelwright-workers.json"), text);
  const { message } = await runUsageScript(site, { MEASURE_SECONDS: "-1" });
  const { workersBusy, workersBusyAt } = parseUsageLine(message!)!;
  return [workersBusy, workersBusyAt !== null];
}

inPhp("are counted since the site exists, although php-fpm starts to count again", async (site) => {
  assert.equal(await measure(site, { started: 100, reached: 0, total: 2 }), [0, false]);
  assert.equal(await measure(site, { started: 100, reached: 2, total: 1 }), [2, true]);
  assert.equal(await measure(site, { started: 100, reached: 2, total: 1 }), [2, true], "nothing new");
  assert.equal(await measure(site, { started: 200, reached: 0, total: 1 }), [2, true], "php-fpm has restarted");
  assert.equal(await measure(site, { started: 200, reached: 1, total: 1 }), [3, true]);
  assert.equal(
    await measure(site, { started: 300, reached: 4, total: 1 }),
    [7, true],
    "it restarted between two measurements",
  );
});

inPhp("count again while the workers remain at their limit", async (site) => {
  assert.equal(await measure(site, { started: 100, reached: 1, total: 3 }), [1, true]);
  assert.equal(await measure(site, { started: 100, reached: 1, total: 3 }), [2, true]);
  assert.equal(await measure(site, { started: 100, reached: 1, total: 2 }), [2, true]);
});

inPhp("are not known without a status, and keep their number when the status is damaged", async (site) => {
  const { message } = await runUsageScript(site);
  assert.is(parseUsageLine(message!)!.workersBusy, null);
  for (const text of ["", "<html>", "[]", "7", '{"max children reached": "9"}']) {
    assert.equal(await measure(site, text), [null, false], text);
  }
  await measure(site, { started: 100, reached: 5, total: 1 });
  assert.equal(await measure(site, '{"start time": 100'), [5, true]);
  const stored = JSON.parse(await readFile(join(site.directory, "data/wheelwright-usage.json"), "utf8"));
  assert.is(stored.workersBusy, 5);
});

test.run();
