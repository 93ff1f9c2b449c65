/** Tests that the health of sites is unknown while their cluster is unavailable or busy. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { clusterCheckHandler } from "#lib/workers/sweep/sweep.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { lookOnce, QUICK } from "./checks.ts";

const test = suite<{ scene: WorkScene; id: string }>("a check of an unavailable cluster");
test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene(), replica = await scene.replica();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(context.id, "active");
  await replica.close(); // its sweep would check the cluster too
  await lookOnce(scene.app);
});
test.after.each(({ scene }) => scene.close());

/** Runs one attempt of the cluster check and returns its failure. */
async function tryToLook({ app }: WorkScene, attempt: number): Promise<ClusterError> {
  const run = {
    job: { attempt, payload: { cluster: "default" } },
    signal: new AbortController().signal,
    log: SILENT_LOG,
    leaving: new AbortController().signal,
    throwIfStopped: () => {},
    write: (work: Parameters<JobRun["write"]>[0]) => app.db.transact(work),
  } as unknown as JobRun;
  return await rejection(Promise.resolve(clusterCheckHandler(app, QUICK).steps["spokes"]!(run))) as ClusterError;
}

async function unknownEvents({ db }: WorkScene): Promise<unknown[]> {
  const events = await db.sql(
    "select metadata from audit_events where kind = 'spoke_health_changed' and metadata ->> 'to' = 'unknown' order by at",
  );
  return events.map(({ metadata }) => [metadata.from, metadata.reason]);
}

const CASES: readonly (readonly [what: string, status: number, reason: string])[] = [
  ["does not answer", 503, "The cluster does not respond"],
  ["is busy", 429, "The cluster is busy"],
];
for (const [what, status, reason] of CASES) {
  test(`makes the health of its sites unknown at the second failure if it ${what}, and reports this once`, async ({ scene, id }) => {
    const health = async () => (await scene.row(id)).health;
    const fault = scene.simulator.faults.answer(status, { path: "/", retryAfter: 0 });
    assert.is((await tryToLook(scene, 1)).status, status);
    assert.equal([await health(), await unknownEvents(scene)], ["healthy", []]);
    for (const attempt of [2, 3]) {
      assert.is((await tryToLook(scene, attempt)).status, status);
      assert.equal([await health(), await unknownEvents(scene)], ["unknown", [["healthy", reason]]]);
    }
    scene.simulator.faults.remove(fault);
    await lookOnce(scene.app);
    assert.is(await health(), "healthy");
  });
}

/** Locks a spoke's row like a change of the spoke, until the returned function is called. */
async function lockRow({ app }: WorkScene, id: string): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>(), release = Promise.withResolvers<void>();
  const change = app.db.transact(async (tx) => {
    await lockSpoke(tx, id);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  return async () => {
    release.resolve();
    await change;
  };
}

test("waits for a locked row, and marks its health as unknown in the same attempt", async ({ scene, id }) => {
  const release = await lockRow(scene, id);
  scene.simulator.faults.answer(503, { path: "/", retryAfter: 0 });
  let ended = false;
  const failure = tryToLook(scene, 2).finally(() => ended = true);
  const waits = async () =>
    (await scene.db.sql("select 1 from pg_locks where not granted and locktype in ('tuple', 'transactionid')")).length >
      0;
  await until(async () => ended || await waits());
  await release();
  assert.is((await failure).status, 503);
  assert.equal([(await scene.row(id)).health, await unknownEvents(scene)], ["unknown", [[
    "healthy",
    "The cluster does not respond",
  ]]]);
});

test("limits the wait for a locked row, and marks its health as unknown at the next attempt", async ({ scene, id }) => {
  const release = await lockRow(scene, id);
  scene.simulator.faults.answer(503, { path: "/", retryAfter: 0 });
  assert.is((await tryToLook(scene, 2)).status, 503);
  assert.is((await scene.row(id)).health, "healthy");
  await release();
  await tryToLook(scene, 3);
  assert.is((await scene.row(id)).health, "unknown");
});

test("keeps the health if only one call is refused", async ({ scene, id }) => {
  scene.simulator.faults.answer(500, { path: "/deployments" });
  await tryToLook(scene, 5);
  assert.is((await scene.row(id)).health, "healthy");
});

test("stops watching a large cluster, and lists it when it answers", async ({ scene, id }) => {
  const { observedAt } = await scene.row(id);
  const following = lookOnce(scene.app, { watch: { minSpokes: 1, relistMs: 600_000, failedCheckMs: 20, burstMs: 0 } });
  const failure = rejection(following);
  await until(async () => (await scene.row(id)).observedAt! > observedAt!);
  scene.simulator.faults.answer(503, { path: "/" });
  assert.is((await failure as ClusterError).status, 503);
});

test.run();
