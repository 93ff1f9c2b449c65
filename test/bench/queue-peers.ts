/** Adapts the queues that Wheelwright's is compared with. Only the bench installs their packages:
 * test/bench/peers/package.json. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { CONCURRENCY, LANES, type MeasuredQueue } from "#test/bench/queue-interface.ts";

// deno-lint-ignore no-explicit-any
async function load(name: string): Promise<any> {
  const from = createRequire(new URL("peers/package.json", import.meta.url));
  return await import(pathToFileURL(from.resolve(name)).href);
}

export async function openGraphileQueue(url: string): Promise<MeasuredQueue> {
  const { Logger, makeWorkerUtils, run } = await load("graphile-worker");
  const logger = new Logger(() => () => {}), utils = await makeWorkerUtils({ connectionString: url, logger });
  await utils.migrate();
  let runner: { stop(): Promise<void> };
  return {
    async fill(jobs) {
      for (let i = 0; i < jobs; i += LANES) {
        const some = Array.from({ length: Math.min(LANES, jobs - i) }, (_, lane) => lane);
        await utils.addJobs(some.map((lane) => ({ identifier: "noop", payload: {}, queueName: `lane:${lane}` })));
      }
    },
    async start(onJob) {
      const taskList = { noop: async () => onJob() };
      const concurrency = CONCURRENCY, maxPoolSize = 10;
      runner = await run({ connectionString: url, concurrency, maxPoolSize, noHandleSignals: true, taskList, logger });
    },
    add: async () => void await utils.addJob("noop", {}, { queueName: "lane:0" }),
    stop: () => runner.stop(),
  };
}

export async function openPgBossQueue(url: string): Promise<MeasuredQueue> {
  const { PgBoss } = await load("pg-boss");
  const boss = new PgBoss({ connectionString: url, max: 10, useListenNotify: true });
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue("noop", { notify: true });
  return {
    fill: () => Promise.reject(new Error("Its jobs in lanes are not measured")),
    start: async (onJob) => void await boss.work("noop", { localConcurrency: CONCURRENCY }, async () => onJob()),
    add: async () => void await boss.send("noop", {}),
    stop: () => boss.stop(),
  };
}
