/** Runs one measurement of test/bench/queue.ts in a separate process, and prints its numbers as JSON. */
import { readdir, readFile } from "node:fs/promises";
import { openPollQueue, openWheelwrightQueue } from "#test/bench/queue-wheelwright.ts";
import { openGraphileQueue, openPgBossQueue } from "#test/bench/queue-peers.ts";
import type { MeasuredQueue } from "#test/bench/queue-interface.ts";
import { sleep } from "#lib/base/time.ts";

const LOOKS = 300;

type Values = Record<string, number[]>;

const opened: Record<string, (url: string) => Promise<MeasuredQueue>> = {
  "wheelwright": (url) => openWheelwrightQueue(url, "quiet"),
  "operations": (url) => openWheelwrightQueue(url, "operations"),
  "graphile-worker": openGraphileQueue,
  "pg-boss": openPgBossQueue,
};

/** Measures the milliseconds from adding a job to an idle queue until its handler runs. */
async function idle(queue: MeasuredQueue, times: number): Promise<Values> {
  let onJob = () => {};
  await queue.start(() => onJob());
  const took: number[] = [];
  for (let i = -10; i < times; i++) { // the first ten warm up
    await sleep(20);
    const begun = performance.now(), handled = Promise.withResolvers<void>();
    onJob = handled.resolve;
    await queue.add();
    await handled.promise;
    if (i >= 0) took.push(performance.now() - begun);
  }
  await queue.stop();
  return { "to handler": took };
}

/** Measures the CPU time and wall time of one poll, from some hundred polls after a warm-up. */
async function measurePolls(look: () => Promise<void>, postmaster: string): Promise<Values> {
  for (let i = 0; i < 20; i++) await look();
  const wall: number[] = [];
  const used = await spend(postmaster, LOOKS, async () => {
    for (let i = 0; i < LOOKS; i++) {
      const begun = performance.now();
      await look();
      wall.push(performance.now() - begun);
    }
  });
  return { ...used, wall };
}

/** Measures the CPU time of one job among many, from the start of the worker to the end of the last job. */
async function drain(queue: MeasuredQueue, jobs: number, postmaster: string): Promise<Values> {
  await queue.fill(jobs);
  const all = Promise.withResolvers<void>(), begun = performance.now();
  let left = jobs;
  const used = await spend(postmaster, jobs, async () => {
    await queue.start(() => {
      if (--left === 0) all.resolve();
    });
    await all.promise;
    await queue.stop();
  });
  return { ...used, wall: [(performance.now() - begun) / jobs] };
}

/** Returns the CPU time that this process and the server spend on the work, divided by `many`. */
async function spend(postmaster: string, many: number, work: () => Promise<void>): Promise<Values> {
  const server = await serverTime(postmaster), own = process.cpuUsage();
  await work();
  const used = process.cpuUsage(own);
  return {
    worker: [(used.user + used.system) / 1000 / many],
    PostgreSQL: [(await serverTime(postmaster) - server) / many],
  };
}

/** Returns the milliseconds of CPU time of the server, including its ended processes. */
async function serverTime(postmaster: string): Promise<number> {
  let ticks = 0;
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [user, system, endedUser, endedSystem] = rest.slice(9, 13).map(Number) as [number, number, number, number];
    if (parent === postmaster) ticks += user + system;
    if (pid === postmaster) ticks += user + system + endedUser + endedSystem;
  }
  return ticks * 10; // Linux counts a hundred ticks a second on all common systems
}

async function main([subject, url, postmaster, measurement, ...rest]: string[]): Promise<Values> {
  const [first, second] = rest.map(Number) as [number, number];
  if (measurement === "look") return await measurePolls(await openPollQueue(url!, first, second), postmaster!);
  const queue = await opened[subject!]!(url!);
  return measurement === "idle" ? await idle(queue, first) : await drain(queue, first, postmaster!);
}

console.log(JSON.stringify(await main(process.argv.slice(2))));
process.exit(0); // ends everything that a queue left open
