/** Measures the sweep over many spokes: `npm run bench -- sweep [spokes …]`. The defaults are 3,334, 10,000 and 30,000.
 *
 * Copies of one installed spoke are in a cluster without controllers. One replica follows them as in production,
 * pauses included. First it checks all of them. Then, for half a minute, one spoke in 300 is changed by hand and every
 * tenth one has an uneventful run of its scheduled tasks. Prints the calls, the seconds, the CPU time and the memory.
 * The exit status reports whether the last change was detected within a minute. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { type Log, SILENT_LOG } from "#lib/base/log.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { checkCluster } from "#lib/workers/sweep/check-cluster.ts";
import { SWEEP_PACE } from "#lib/workers/sweep/sweep.ts";
import type { SweepPace } from "#lib/workers/sweep/spoke-facts.ts";
import { openKubeProxy } from "#test/lib/doctor/kube-proxy.ts";
import { makeApp, openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { type CopiedSpokes, openCopiedSpokes } from "#test/support/bench/copied-spokes.ts";

const SIZES = [3334, 10_000, 30_000];
/** In 1 of CHANGED spokes an object is changed. 1 of RAN spokes reports a run. */
const CHANGED = 300, RAN = 10;

/** Returns whether every change was reported within a minute. */
async function measure(spokes: number, pace: SweepPace, followed: number): Promise<boolean> {
  const scene = await openWorkScene(), model = await installOne(scene);
  const copies = await openCopiedSpokes(scene, model, spokes), between = await openKubeProxy(copies.url);
  const { app, close } = await makeApp(scene.db, between.kubeconfig(), SILENT_LOG);
  const ending = new AbortController();
  const drifted = async () =>
    (await scene.db.sql("select count(*)::integer as n from spokes where drift is not null"))[0]!.n as number;
  try {
    // as if they had been running for long
    await scene.db.sql("update spokes set updated_at = updated_at - interval '1 hour'");
    const full = watchClock(between.requests);
    let following: Promise<void>;
    await new Promise<void>((resolve, reject) => {
      const log = { ...SILENT_LOG, debug: (message: string) => message === "Checked a cluster" && resolve() };
      following = checkCluster(app, runOf(scene, ending.signal, log as Log), "default", pace);
      following.then(resolve, reject);
    });
    say(spokes, `a look at all: ${full()}`);

    const part = watchClock(between.requests), hands = Math.ceil(spokes / CHANGED);
    for (let i = 0; i < hands; i++) await change(scene, copies, copies.ids[i * CHANGED]!);
    for (let i = 0; i < spokes; i += RAN) run(copies, i);
    const began = performance.now();
    while (await drifted() < hands && performance.now() - began < 5 * MINUTE) await sleep(50);
    const elapsed = performance.now() - began;
    await sleep(Math.max(0, followed - elapsed));
    say(spokes, `followed: ${part()}; ${hands} changes detected in ${(elapsed / SECOND).toFixed(1)} s`);
    const held = memoryMiB(), found = await drifted();
    ending.abort(new Error("measured"));
    await following!.catch(() => {});
    say(spokes, `memory that is free without it: ${(held - memoryMiB()).toFixed(1)} MiB; found ${found} drifted`);
    return elapsed < MINUTE;
  } finally {
    ending.abort(new Error("measured"));
    await close();
    await between.close();
    await copies.close();
    await scene.close();
  }
}

function say(spokes: number, what: string): void {
  console.log(`${String(spokes).padStart(7)} spokes, ${what}`);
}

/** Returns a function that reports the calls, seconds and CPU time since the start. */
function watchClock(asked: readonly unknown[]): () => string {
  const began = performance.now(), cpu = process.cpuUsage(), from = asked.length;
  return () => {
    const { user, system } = process.cpuUsage(cpu), seconds = (performance.now() - began) / SECOND;
    return `${asked.length - from} calls in ${seconds.toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s ` +
      "(the simulated cluster included)";
  };
}

async function change({ row }: WorkScene, { world }: CopiedSpokes, id: string): Promise<void> {
  const { namespace } = await row(id), { store } = world;
  store.save({ ...store.get("ConfigMap", namespace, "fpm-size")!, data: { changed: "by hand" } } as StoredObject);
}

const crons = new WeakMap<CopiedSpokes, readonly StoredObject[]>();

function run(copies: CopiedSpokes, i: number): void {
  const { store } = copies.world, all = crons.get(copies) ?? store.list("CronJob");
  crons.set(copies, all);
  const cron = store.get("CronJob", all[i]!.metadata.namespace, all[i]!.metadata.name)!;
  store.save({ ...cron, status: { lastScheduleTime: new Date().toISOString() } });
}

async function installOne(scene: WorkScene): Promise<string> {
  const replica = await startReplica(scene.app);
  const model = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(model, "active");
  await replica.close();
  return model;
}

function runOf({ db }: WorkScene, signal: AbortSignal, log: Log): JobRun {
  const write = <T>(work: (tx: Tx) => Promise<T>) => db.transact(work);
  return {
    job: { payload: { cluster: "default" } },
    signal,
    leaving: new AbortController().signal,
    log,
    throwIfStopped: () => {},
    write,
  } as unknown as JobRun;
}

/** Returns the memory in use. With `--expose-gc` (set by npm run bench), only reachable objects count. */
function memoryMiB(): number {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

const { values: { smoke }, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: "boolean", default: false } },
});
/** Watches even a small cluster, and without pauses. */
const HASTE: SweepPace = { ...SWEEP_PACE, pauseMs: 0, watch: { ...SWEEP_PACE.watch, minSpokes: 0 } };
const sizes = positionals.map(Number), [pace, followed] = smoke ? [HASTE, 0] : [SWEEP_PACE, 30 * SECOND];
let held = true;
for (const spokes of sizes.length > 0 ? sizes : SIZES) held = await measure(spokes, pace, followed) && held;
if (!held) process.exitCode = 1;
