/** Tests two claimers of one lane that both consider it free. Only the database's indexes separate them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { catchClaimConflict, claimJob, listSupportedJobKinds } from "#lib/jobs/claim.ts";
import type { Job } from "#lib/jobs/job.ts";
import { action, install, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: Scene }>("two replicas that claim from the same lane");
test.before.each(async (context) => {
  context.scene = await openScene();
  await context.scene.db.sql("insert into replicas (id, release) values ('first', 'x'), ('second', 'x')");
});
test.after.each(({ scene }) => scene.close());

const work = kind("work", ["one"]), other = kind("other", ["one"]);
const knownKinds = listSupportedJobKinds([work, other]);

test("only one of a lane's two jobs is claimed, because of the index", async ({ scene }) => {
  const hub = await scene.hub(2);
  const [a, b] = await scene.enqueue(install(work, hub, 0), install(work, hub, 1));
  assert.equal(await race(scene, a!, b!), [a!.id, null]);
  assert.equal(await running(scene), [a!.id]);
});

test("only one of a spoke's two operations is claimed, even from different lanes", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [a, b] = await scene.enqueue(install(work, hub, 0), action(other, hub, 0));
  assert.equal(await race(scene, a!, b!), [a!.id, null]);
  assert.equal(await running(scene), [a!.id]);
});

test("a job is claimed once: the second replica finds it running", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [a] = await scene.enqueue(install(work, hub, 0));
  assert.equal(await race(scene, a!, a!), [a!.id, null]);
});

/** Runs two claims that both read before either commits; a claim without a lane takes no lock. Returns the IDs that
 * each got. */
async function race({ db }: Scene, first: Job, second: Job): Promise<(string | null)[]> {
  const claimed = Promise.withResolvers<void>(), commit = Promise.withResolvers<void>();
  const claim = (job: Job, holder: string, then: () => Promise<void>) =>
    catchClaimConflict(db.transact(async (tx) => {
      const candidate = { ...job, lane: null, finishedSteps: 0 };
      const taken = await claimJob(tx, candidate, knownKinds, { holder, label: "Doing one" });
      await then();
      return taken;
    }));
  const one = claim(first, "first", () => (claimed.resolve(), commit.promise));
  await claimed.promise;
  const two = claim(second, "second", () => Promise.resolve());
  await Promise.race([two, until(() => waits(db))]);
  commit.resolve();
  return (await Promise.all([one, two])).map((job) => job?.id ?? null);
}

/** Whether a transaction of this database waits for another one to end. */
async function waits(db: Scene["db"]): Promise<boolean> {
  const found = await db.sql(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return found.length > 0;
}

async function running({ db }: Scene): Promise<string[]> {
  return (await db.sql("select id from jobs where state = 'running'")).map(({ id }) => id);
}

test.run();
