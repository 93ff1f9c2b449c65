/** Tests a rolling update under load, behind a proxy that only reads readyz. No user may notice: each request succeeds
 * on its first attempt. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MINUTE } from "#lib/base/time.ts";
import { type LoadBalancer, openLoadBalancer } from "#test/support/bench/balancer.ts";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { isTakeover, readHolderTimeline } from "#test/support/bench/holder-timeline.ts";
import { type BackgroundLoad, openBackgroundLoad } from "#test/support/bench/load.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { openReleasePair, type ReleasePair } from "#test/support/bench/releases.ts";
import type { Replica } from "#test/support/bench/replica.ts";
import { until } from "#test/support/until.ts";

const env = { SHUTDOWN_NOTICE_MS: "3000", SHUTDOWN_GRACE_MS: "8000" };

interface Scene {
  releases: ReleasePair;
  bench: Bench;
  balancer: LoadBalancer;
  loads: BackgroundLoad[];
}

const test = suite<Scene>("rolling update");
test.before(async (context) => {
  context.loads = [];
  const releases = context.releases = await openReleasePair();
  const bench = context.bench = await openBench({ replicas: 3, delayMs: 100, env, program: releases.before });
  context.balancer = await openLoadBalancer(() => bench.replicas.map(({ url }) => url));
});
test.after(async ({ releases, bench, balancer, loads }) => {
  for (const load of loads ?? []) load.leave(); // only after a failed test
  await balancer?.close();
  await bench?.close();
  await releases?.close();
});

test("to another release loses no request, event or step", async ({ bench, balancer, releases, loads }) => {
  const old = [...bench.replicas],
    hub = await bench.hub("north"),
    load = await openLoadOf(bench, balancer, hub, Infinity);
  loads.push(load);
  const leaving: Promise<void>[] = [];
  while (old.length > 0) {
    const next = await bench.join(releases.after); // the first new replica migrates the schema while old ones run
    await balancer.notices(next.url, true);
    const count = load.created.size + 1;
    await until(() => load.created.size >= count, MINUTE); // by old and new replicas
    const one = await holderAmong(bench, old);
    old.splice(old.indexOf(one), 1);
    leaving.push(one.drain());
    await balancer.notices(one.url, false);
  }
  load.enough();
  await Promise.all(leaving);
  await settle(bench, load, hub);
  assert.equal([...load.answers.keys()].sort(), ["200", "201"]);
  assert.equal(balancer.failures, []);
  assert.equal(
    (await readHolderTimeline(bench.db)).filter(isTakeover),
    [],
    "running jobs are released, not abandoned",
  );
  const stopped = await queryRows(bench.db, "select id from replicas where stopped_at is not null order by id");
  assert.equal(stopped.map(({ id }) => id), bench.replicas.slice(0, 3).map(({ id }) => id).sort());
  if (!releases.planted) return;
  const plans = await queryRows(bench.db, "select distinct plan from jobs where kind = 'provision' order by 1");
  assert.equal(plans.map(({ plan }) => plan), [1, 2], "each release has enqueued installations with its own plan");
});

test("back to the previous release works on the newer schema", async ({ bench, balancer, releases, loads }) => {
  const [, second, third] = bench.replicas.slice(3), back = await bench.join(releases.before);
  await balancer.notices(back.url, true);
  if (releases.planted) {
    const warnings = back.log().filter(({ message }) => message.startsWith("The database is newer than this release"));
    assert.equal(warnings.map(({ level }) => level), ["warn"]);
  }
  const hub = await bench.hub("back"), load = await openLoadOf(bench, balancer, hub, 2);
  loads.push(load);
  await Promise.all([load.allCreated, second!.drain(), third!.drain()]);
  await settle(bench, load, hub); // the last replica of the new release ends operations that were requested there
  assert.equal([...load.answers.keys()].sort(), ["200", "201"]);
  assert.equal(balancer.failures, []);
});

test("loses no retryable request when a replica is killed", async ({ bench, releases, loads }) => {
  const living = [bench.replicas[3]!, bench.replicas[6]!, await bench.join(releases.after)];
  const balancer = await openLoadBalancer(() => living.map(({ url }) => url), { again: true });
  for (const { url } of living) await balancer.notices(url, true);
  const hub = await bench.hub("killed"), load = await openLoadOf(bench, balancer, hub, 3, []);
  loads.push(load);
  await (await holderAmong(bench, living)).kill();
  await settle(bench, load, hub);
  assert.equal([...load.answers.keys()].sort(), ["200", "201"]);
  await balancer.close();
});

/** Opens load through the proxy only. Requests without a key are excluded: after a broken connection, the client cannot
 * know the result. */
async function openLoadOf(
  bench: Bench,
  { url }: LoadBalancer,
  hub: string,
  creations: number,
  writers?: readonly string[],
): Promise<BackgroundLoad> {
  const renamed = writers ?? [await bench.hub(`renamed-by-${hub.slice(-6)}`)];
  const people = { creations, pause: 500, readers: 2, followers: 2, writers: renamed };
  return openBackgroundLoad({ urls: () => [url], token: bench.token, hub, ...people });
}

/** Returns the first of these replicas that runs an operation. */
async function holderAmong({ db }: Bench, replicas: readonly Replica[]): Promise<Replica> {
  const runningJobs = "select holder from jobs where visible and state = 'running'";
  return await until(async () => {
    const holders = (await queryRows(db, runningJobs)).map(({ holder }) => holder);
    return replicas.find(({ id }) => holders.includes(id));
  }, 5000).catch(() => replicas[0]!);
}

/** Asserts that everything requested was done once, and that no follower missed an event. */
async function settle({ db, cluster, becomes, replicas }: Bench, load: BackgroundLoad, hub: string): Promise<void> {
  await load.allCreated;
  for (const id of load.created.values()) await becomes(id, "active");
  const [{ number }] = await queryRows(db, "select number::int from stream_heads where federation_id = $1", [hub]);
  await load.stop(number);
  const errors = replicas.flatMap((one) => one.log().filter(({ level }) => level === "error"));
  assert.equal(load.surprises, [], JSON.stringify(errors));
  const every = Array.from({ length: number }, (_, i) => i + 1);
  for (const numbers of load.heard) assert.equal(numbers, every);
  const rows = await queryRows(db, "select id from spokes where federation_id = $1 order by id", [hub]);
  assert.equal(rows.map(({ id }) => id), [...load.created.values()].sort());
  const attempts = await queryRows(db, "select distinct attempt from jobs where visible and state <> 'queued'");
  assert.equal(attempts, [{ attempt: 1 }]);
  const twice = await queryRows(
    db,
    `select kind, object_id from audit_events where kind = 'spoke_provisioned' group by 1, 2 having count(*) > 1`,
  );
  assert.equal(twice, []);
  const installs = (await cluster.list("/apis/batch/v1/jobs", "op=install")).map((job) => job.metadata.namespace);
  assert.is(installs.length, new Set(installs).size, "one install Job for each site");
  assert.equal(replicas.flatMap((replica) => replica.complaints()), []);
}

test.run();
