/**
 * The sweep over many spokes: `npm run sweep -- [spokes]`, 10,000 unless told, and a tenth of it to compare with.
 *
 * Copies of one installed spoke stand in a cluster without controllers, and one replica's look goes over all of them as
 * the program does it, pauses included. Prints the calls, the time, the processor's share of it, and the memory that a look
 * takes at most; ends with a status that says whether a look stays within ten minutes.
 */
import type { Tx } from "#lib/drivers/db/database.ts";
import { silent } from "#lib/base/log.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { look } from "#lib/work/sweep/sweep.ts";
import { openBetween } from "#test/lib/doctor/between.ts";
import { makeApp, openWorkScene, startReplica, type WorkScene } from "#test/lib/work/scene.ts";
import { openStanding } from "#test/support/bench/standing.ts";

const MOST_MS = 10 * 60_000;

interface Measured {
  readonly spokes: number;
  readonly calls: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly growthMiB: number;
}

async function main(spokes: number): Promise<boolean> {
  const small = await measure(Math.ceil(spokes / 10));
  const large = await measure(spokes);
  const ratio = (of: keyof Measured) => (large[of] / small[of]).toFixed(1);
  console.log(
    `${spokes} spokes against ${small.spokes}: calls x ${ratio("calls")}, time x ${ratio("ms")}, ` +
      `processor x ${ratio("cpuMs")}`,
  );
  return large.ms < MOST_MS;
}

async function measure(spokes: number): Promise<Measured> {
  const scene = await openWorkScene(), model = await installOne(scene);
  const standing = await openStanding(scene, model, spokes), between = await openBetween(standing.url);
  const { app, close } = await makeApp(scene.db, between.kubeconfig(), silent);
  try {
    const before = memoryMiB(), began = performance.now(), cpu = process.cpuUsage();
    let most = before;
    const timer = setInterval(() => most = Math.max(most, memoryMiB()), 100);
    await look(app).steps["spokes"]!(runOf(scene));
    clearInterval(timer);
    const { user, system } = process.cpuUsage(cpu);
    const ms = performance.now() - began, calls = between.asked.length;
    const measured = { spokes, calls, ms, cpuMs: (user + system) / 1000, growthMiB: most - before };
    const [{ seen }] = await scene.db.sql(
      "select count(*)::integer as seen from spokes where cluster = 'default' and health = 'healthy' and drift is null " +
        "and observed_at > now() - interval '1 hour'",
    ) as [{ seen: number }];
    console.log(
      `${spokes} spokes: ${calls} calls in ${(ms / 1000).toFixed(1)} s, ${(calls / ms * 1000).toFixed(1)}/s; ` +
        `processor ${(measured.cpuMs / 1000).toFixed(1)} s (the simulated cluster included); ` +
        `memory grew by ${measured.growthMiB.toFixed(0)} MiB at most; ${seen} seen well and as they were made`,
    );
    return measured;
  } finally {
    await close();
    await between.close();
    await standing.close();
    await scene.close();
  }
}

async function installOne(scene: WorkScene): Promise<string> {
  const replica = await startReplica(scene.app);
  const model = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(model, "active");
  await replica.close();
  return model;
}

function runOf({ db }: WorkScene): Run {
  return {
    job: { payload: { cluster: "default" } },
    signal: new AbortController().signal,
    log: silent,
    check: () => {},
    write: <T>(work: (tx: Tx) => Promise<T>) => db.transact(work),
  } as unknown as Run;
}

function memoryMiB(): number {
  return process.memoryUsage().rss / 2 ** 20;
}

main(Number(process.argv[2] ?? 10_000)).then((held) => process.exitCode = held ? 0 : 1);
