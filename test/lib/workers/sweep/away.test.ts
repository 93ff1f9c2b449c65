/** What a look does where the cluster is away or busy: nobody knows how its sites are, until it answers again. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { silent } from "#lib/base/log.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { look } from "#lib/workers/sweep/sweep.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { lookOnce, QUICK } from "./looks.ts";

const test = suite<{ scene: WorkScene; id: string }>("a look at a cluster that is away");
test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene(), replica = await scene.replica();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(context.id, "active");
  await replica.close(); // its sweep would look, too
  await lookOnce(scene.app);
});
test.after.each(({ scene }) => scene.close());

/** One try of the sweep's job; returns the failure. */
async function tryToLook({ app }: WorkScene, attempt: number): Promise<ClusterError> {
  const run = {
    job: { attempt, payload: { cluster: "default" } },
    signal: new AbortController().signal,
    log: silent,
    check: () => {},
    write: (work: Parameters<Run["write"]>[0]) => app.db.transact(work),
  } as unknown as Run;
  return await rejection(Promise.resolve(look(app, QUICK).steps["spokes"]!(run))) as ClusterError;
}

async function told({ db }: WorkScene): Promise<unknown[]> {
  const events = await db.sql(
    "select metadata from audit_events where kind = 'spoke_health_changed' and metadata ->> 'to' = 'unknown' order by at",
  );
  return events.map(({ metadata }) => [metadata.from, metadata.reason]);
}

const CASES: readonly (readonly [what: string, status: number, reason: string])[] = [
  ["does not answer", 503, "The cluster does not answer"],
  ["is busy", 429, "The cluster is busy"],
];
for (const [what, status, reason] of CASES) {
  test(`makes the health of its sites unknown at the second failure where it ${what}, and tells it once`, async ({ scene, id }) => {
    const health = async () => (await scene.row(id)).health;
    const fault = scene.simulator.faults.answer(status, { path: "/", retryAfter: 0 });
    assert.is((await tryToLook(scene, 1)).status, status);
    assert.equal([await health(), await told(scene)], ["healthy", []]);
    for (const attempt of [2, 3]) {
      assert.is((await tryToLook(scene, attempt)).status, status);
      assert.equal([await health(), await told(scene)], ["unknown", [["healthy", reason]]]);
    }
    scene.simulator.faults.heal(fault);
    await lookOnce(scene.app);
    assert.is(await health(), "healthy");
  });
}

test("leaves the health as it was where only one call is refused", async ({ scene, id }) => {
  scene.simulator.faults.answer(500, { path: "/deployments" });
  await tryToLook(scene, 5);
  assert.is((await scene.row(id)).health, "healthy");
});

test("ends the following of a large cluster, which is listed anew when it answers", async ({ scene, id }) => {
  const { observedAt } = await scene.row(id);
  const following = lookOnce(scene.app, { follow: { from: 1, ms: 600_000, minute: 20, gap: 0 } });
  const failure = rejection(following);
  await until(async () => (await scene.row(id)).observedAt! > observedAt!);
  scene.simulator.faults.answer(503, { path: "/" });
  assert.is((await failure as ClusterError).status, 503);
});

test.run();
