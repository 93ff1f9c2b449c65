/** Tests an outage of the database while a failed attempt is recorded. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { createLog } from "#lib/base/log.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { until } from "#test/support/until.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("startRun during an outage of the database");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

test("records why an attempt failed as soon as the database is available", async ({ scene }) => {
  let away = 2, tries = 0, told: string | undefined;
  const on: Database = {
    ...scene.db,
    now: () => away-- > 0 ? Promise.reject(new ConnectionLost(new Error("cut"))) : scene.db.now(),
  };
  const work = kind("work", ["one"]);
  const [job] = await scene.enqueue(action(work, await scene.hub(1), 0));
  async function one(run: JobRun): Promise<void> {
    if (tries++ === 0) throw new ClusterError("unreachable", "no answer", { transient: true });
    told = run.job.failure?.code;
  }
  await scene.open([{ kind: work, steps: { one } }], { on });
  const { attempt } = await scene.until(job!.id, ({ state }) => state === "succeeded");
  assert.equal([attempt, told], [2, "unreachable"]);
});

test("logs a full disk once, and runs the jobs when space is free", async ({ scene }) => {
  const warnings: { level: string; message: string }[] = [];
  const log = createLog({ level: "warn", format: "json", write: (line) => warnings.push(JSON.parse(line)) });
  await scene.db.sql(`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
  await scene.db.sql("create trigger refuse before update on jobs for each row execute function refuse()");
  const work = kind("work", ["one"]), hub = await scene.hub(3);
  const jobs = await scene.enqueue(...hub.spokes.map((_, i) => action(work, hub, i)));
  const release = { api: "v0", version: "test", commit: "unknown" };
  const polls: string[] = [];
  const db: Database = { ...scene.db, transact: (run) => (polls.push("transact"), scene.db.transact(run)) };
  const handlers = [{ kind: work, steps: { one: () => Promise.resolve() } }];
  const scheduler = await openScheduler({ db, log, release }, { handlers, lanes: 64 });
  await until(() => polls.length > 4); // it has looked for a second time
  await scene.db.sql("drop trigger refuse on jobs");
  for (const { id } of jobs) await scene.until(id, ({ state }) => state === "succeeded");
  await scheduler.close();
  assert.equal(warnings.map(({ message }) => message), ["Cannot poll the job queue; trying again"]);
});

test.run();
