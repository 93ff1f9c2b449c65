/** Tests that a held job logs an outage of the database. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { Fault } from "#lib/base/errors.ts";
import { createLog } from "#lib/base/log.ts";
import { createHeldJob } from "#lib/scheduler/held-job.ts";

const test = suite("holdJob");

const away = (): Promise<never> => Promise.reject(new Fault("unavailable", "database_away", "The database is away"));

test("logs one warning per outage, whichever query fails", async () => {
  const lines: string[] = [], asked = { now: 0, transact: 0 };
  const database = {
    now: () => asked.now++ === 0 ? away() : Promise.resolve(new Date()), // read again, and still not written
    transact: () => asked.transact++ < 2 ? away() : Promise.resolve("written"),
  };
  const log = createLog({ level: "warn", format: "json", write: (line) => void lines.push(line) });
  const tenure = { signal: new AbortController().signal, throwIfLapsed: () => {} };
  const held = createHeldJob(database as unknown as Database, {} as Job, tenure, log);

  await held.now();
  assert.is(await held.transact(() => Promise.resolve("written")), "written");
  assert.equal(asked, { now: 2, transact: 3 });
  assert.equal(lines.map((line) => JSON.parse(line).message), ["Cannot use the database; trying again"]);
});

test.run();
