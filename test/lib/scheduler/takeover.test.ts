/** Tests that only jobs of replicas without heartbeats are taken over, whatever the database's clock says. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { MINUTE } from "#lib/base/time.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";
import { insertRow } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("openScheduler next to silent replicas");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);
const work = kind("work", ["only"]);

test("takes over from a silent replica with finished steps, without counting an attempt", async ({ scene }) => {
  const hub = await scene.hub(1);
  const two = kind("two", ["first", "second"]);
  const [job] = await scene.enqueue(action(two, hub, 0));
  await scene.db.sql(
    "insert into replicas (id, release, heartbeat_at) values ('dead', 'x', now() - interval '5 seconds')",
  );
  await scene.db.sql(
    `update jobs set state = 'running', holder = 'dead', fence = nextval('job_fences'), attempt = 1,
       finished_steps = '{first}', started_at = now(), deadline_at = now() + interval '1 hour' where id = $1`,
    [job!.id],
  );
  const ran: string[] = [];
  const step = (name: string) => async () => void ran.push(name);
  await scene.open([{ kind: two, steps: { first: step("first"), second: step("second") } }]);
  const after = await scene.until(job!.id, ended);
  assert.equal([after.state, after.attempt, ran], ["succeeded", 1, ["second"]]);
  assert.is(after.fence, "2");
});

test("takes over from a dead replica although the database's clock was set back", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(work, hub, 0));
  await insertRow(scene.db, "replicas", { id: "dead", release: "x" });
  await scene.db.sql(
    `update jobs set state = 'running', holder = 'dead', fence = nextval('job_fences'), attempt = 1,
       started_at = now(), deadline_at = now() + interval '1 hour' where id = $1`,
    [job!.id],
  );
  await scene.db.shiftClock(-60 * MINUTE);
  await scene.open([{ kind: work, steps: { only: () => Promise.resolve() } }]);
  assert.is((await scene.until(job!.id, ended)).state, "succeeded");
});

test("does not take over from a replica with heartbeats, however old they seem", async ({ scene }) => {
  const hub = await scene.hub(2);
  const [job] = await scene.enqueue(action(work, hub, 0));
  await scene.db.sql("insert into replicas (id, release) values ('busy', 'x'), ('dead', 'x')");
  const beat = () => scene.db.sql("update replicas set heartbeat_at = now() - interval '1 hour' where id = 'busy'");
  const beats = setInterval(beat, 500);
  await scene.db.sql("update jobs set state = 'running', holder = 'busy', fence = nextval('job_fences')");
  const [orphan] = await scene.enqueue(action(work, hub, 1));
  await scene.db.sql(
    `update jobs set state = 'running', holder = 'dead', fence = nextval('job_fences'),
      deadline_at = now() + interval '1 hour' where id = $1`,
    [orphan!.id],
  );
  await scene.open([{ kind: work, steps: { only: () => Promise.resolve() } }]);
  await scene.until(orphan!.id, ended).finally(() => clearInterval(beats)); // so it has judged, and acted on it
  assert.equal((await scene.until(job!.id, () => true)).holder, "busy");
});

test.run();
