import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database } from "#lib/drivers/db/database.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import type { JobHandler, Outcome } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { until } from "#test/support/until.ts";
import { action, install, kind, loose, openScene, type Scene } from "./scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("openScheduler");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);
const work = kind("work", ["only"]);

/** Creates a handler that records its steps by spoke, and how many ran at the same time. */
function counting(step: (job: Job) => Promise<void> | void) {
  const order: string[] = [];
  let now = 0, most = 0;
  const handler: JobHandler = {
    kind: work,
    steps: {
      async only({ job }) {
        most = Math.max(most, ++now);
        order.push(job.spokeId!);
        try {
          await step(job);
        } finally {
          now--;
        }
      },
    },
  };
  return { handler, order, most: () => most };
}

test("runs a hub's installs one after another, oldest first", async ({ scene }) => {
  const hub = await scene.hub(5);
  const { handler, order, most } = counting(() => Promise.resolve());
  const jobs = await scene.enqueue(...hub.spokes.map((_, i) => install(work, hub, i)));
  await Promise.all([scene.open([handler]), scene.open([handler])]);
  await scene.until(jobs.at(-1)!.id, ended);
  assert.equal(order, hub.spokes);
  assert.is(most(), 1);
});

test("runs two hubs at the same time", async ({ scene }) => {
  const [a, b] = [await scene.hub(1), await scene.hub(1)];
  const both = Promise.withResolvers<void>();
  const { handler, order } = counting(() => {
    if (order.length === 2) both.resolve();
    return both.promise;
  });
  const jobs = await scene.enqueue(install(work, a, 0), install(work, b, 0));
  await scene.open([handler]);
  for (const job of jobs) assert.is((await scene.until(job.id, ended)).state, "succeeded");
});

test("continues the lane after a failure, and while a job waits for its next attempt", async ({ scene }) => {
  const hub = await scene.hub(3);
  const [failing, waiting, last] = hub.spokes as [string, string, string];
  const { handler } = counting(({ spokeId }) => {
    if (spokeId !== last) throw new Error("not this one");
  });
  const jobs = await scene.enqueue(...hub.spokes.map((_, i) => install(work, hub, i)));
  await updateRows(scene.db, "jobs", { progress: '{"bugs": 2}' }, { spokeId: failing });
  await scene.open([handler], { retry: { firstMs: 10 * MINUTE, maxMs: 10 * MINUTE } });
  assert.is((await scene.until(jobs[2]!.id, ended)).state, "succeeded");
  assert.is((await scene.until(jobs[0]!.id, ended)).state, "failed");
  const held = await scene.until(jobs[1]!.id, ({ spokeId }) => spokeId === waiting);
  assert.equal([held.state, held.attempt, held.failure?.code], ["queued", 1, "internal"]);
});

test("makes an installation wait for its hub without blocking other jobs", async ({ scene }) => {
  const hub = await scene.hub(1, "provisioning");
  const needy = kind("needy", ["only"], { needsActiveHub: true });
  const [first] = await scene.enqueue(install(needy, hub, 0));
  const [second] = await scene.enqueue({ ...install(work, hub, 0), spokeId: null });
  const activate: JobHandler = {
    kind: work,
    steps: { only: () => Promise.resolve() },
    hooks: {
      async onSucceeded(tx, { federationId }) {
        await tx.updateTable("federations").set({ state: "active" }).where("id", "=", federationId!).execute();
        return { state: "active" };
      },
    },
  };
  await scene.open([activate, { kind: needy, steps: { only: () => Promise.resolve() } }]);
  const after = [await scene.until(first!.id, ended), await scene.until(second!.id, ended)];
  assert.equal(after.map(({ state }) => state), ["succeeded", "succeeded"]);
  assert.ok(after[1]!.finishedAt! <= after[0]!.startedAt!);
});

test("runs one operation of a spoke at a time, whatever their lanes", async ({ scene }) => {
  const hub = await scene.hub(1);
  const { handler, most } = counting(() => new Promise((resolve) => setTimeout(resolve, 20)));
  const jobs = await scene.enqueue(install(work, hub, 0), action(work, hub, 0), action(work, hub, 0));
  await Promise.all([scene.open([handler]), scene.open([handler])]);
  for (const job of jobs) await scene.until(job.id, ended);
  assert.is(most(), 1);
});

test("leaves unknown kinds to other replicas", async ({ scene }) => {
  const hub = await scene.hub(2);
  const newer = { ...work, plan: 2 };
  const done = () => Promise.resolve();
  const [job] = await scene.enqueue(action(newer, hub, 0));
  const [known] = await scene.enqueue(action(work, hub, 1));
  await scene.open([{ kind: work, steps: { only: done } }]);
  await scene.until(known!.id, ended);
  assert.is((await scene.until(job!.id, () => true)).state, "queued");
  await scene.open([{ kind: newer, steps: { only: done } }]);
  assert.is((await scene.until(job!.id, ended)).state, "succeeded");
});

test("stops when heartbeats fail, and continues when they succeed", async ({ scene }) => {
  const hub = await scene.hub(1);
  const control = { down: false };
  const flaky: Database = {
    ...scene.db,
    control: {
      query: (text, params) =>
        control.down ? Promise.reject(new ConnectionLost(new Error("cut"))) : scene.db.control.query(text, params),
    },
  };
  const [job] = await scene.enqueue(action(work, hub, 0));
  const fences: string[] = [], reasons: string[] = [];
  const scheduler = await scene.open([{
    kind: work,
    steps: {
      async only({ job, signal }) {
        fences.push(job.fence);
        if (fences.length > 1) return;
        control.down = true;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        reasons.push(signal.reason.name);
        control.down = false;
      },
    },
  }], { on: flaky });
  const after = await scene.until(job!.id, ended);
  assert.equal([after.state, after.attempt, reasons], ["succeeded", 1, ["LeaseLapsedError"]]);
  assert.ok(BigInt(fences[1]!) > BigInt(fences[0]!));
  await until(() => scheduler.ready());
});

test("finishes the current step when it drains, and another replica continues without a new attempt", async ({ scene }) => {
  const hub = await scene.hub(2);
  const two = kind("two", ["first", "second"]);
  const started = Promise.withResolvers<void>(), go = Promise.withResolvers<void>();
  const first = async () => {
    started.resolve();
    await go.promise;
  };
  const [job] = await scene.enqueue(install(two, hub, 0));
  const old = await scene.open([{ kind: two, steps: { first, second: () => Promise.reject(new Error("not here")) } }]);
  await started.promise;
  const drained = old.drain(MINUTE);
  const [later] = await scene.enqueue(install(two, hub, 1));
  go.resolve();
  await drained;
  const between = await scene.until(job!.id, () => true);
  assert.equal([between.state, between.finishedSteps, between.attempt], ["queued", ["first"], 0]);
  assert.is((await scene.until(later!.id, () => true)).state, "queued");
  assert.is(old.ready(), false);
  await scene.open([{ kind: two, steps: { first: () => Promise.resolve(), second: () => Promise.resolve() } }]);
  const after = await scene.until(job!.id, ended);
  assert.equal([after.state, after.attempt], ["succeeded", 1]);
  assert.is((await scene.until(later!.id, ended)).state, "succeeded");
});

test("runs one step of a job that it claims while draining, and claims no other", async ({ scene }) => {
  const hub = await scene.hub(2), two = kind("two", ["first", "second"]), done = () => Promise.resolve();
  const claiming = Promise.withResolvers<void>(), go = Promise.withResolvers<void>();
  const jobs = await scene.enqueue(action(two, hub, 0), action(two, hub, 1));
  async function onStart(): Promise<Outcome> {
    claiming.resolve();
    await go.promise;
    return {};
  }
  const scheduler = await scene.open([{ kind: two, steps: { first: done, second: done }, hooks: { onStart } }]);
  await claiming.promise;
  const drained = scheduler.drain(MINUTE);
  go.resolve();
  await drained;
  const [begun, other] = await Promise.all(jobs.map(({ id }) => scene.until(id, () => true)));
  assert.equal([begun!.state, begun!.finishedSteps, other!.state, other!.startedAt], [
    "queued",
    ["first"],
    "queued",
    null,
  ]);
});

test("stops and requeues jobs that do not end within the grace period", async ({ scene }) => {
  const hub = await scene.hub(1);
  const started = Promise.withResolvers<AbortSignal>();
  const [job] = await scene.enqueue(action(work, hub, 0));
  const scheduler = await scene.open([{
    kind: work,
    steps: {
      only({ signal }) {
        started.resolve(signal);
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    },
  }]);
  const signal = await started.promise;
  await scheduler.drain(0);
  assert.is(signal.reason.name, "ReplicaDrainingError");
  const after = await scene.until(job!.id, () => true);
  assert.equal([after.state, after.attempt, after.holder], ["queued", 0, null]);
});

test("numbers the events of a hub without gaps, however many jobs run", async ({ scene }) => {
  const hub = await scene.hub(8);
  const { handler } = counting(() => {
    if (Math.random() < 0.3) throw new Error("chance");
  });
  const jobs = await scene.enqueue(...hub.spokes.flatMap((_, i) => [install(work, hub, i), action(work, hub, i)]));
  await Promise.all([scene.open([handler]), scene.open([handler]), scene.open([handler])]);
  for (const job of jobs) await scene.until(job.id, ended);
  const rows = await scene.db.sql("select number::int from stream_events order by number");
  assert.equal(rows.map(({ number }) => number), rows.map((_, i) => i + 1));
  const [head] = await scene.db.sql("select number::int from stream_heads");
  assert.is(head.number, rows.length);
});

test("runs a repeated kind again and again, one at a time", async ({ scene }) => {
  const sweep = kind("sweep", ["only"], { visible: false, repeatEvery: 10 });
  let runs = 0;
  const thrice = Promise.withResolvers<void>();
  await scene.open([{ kind: sweep, steps: { only: async () => void (++runs === 3 && thrice.resolve()) } }]);
  await scene.enqueue({ ...loose(sweep), dedupeKey: "repeat:sweep:1" });
  await thrice.promise;
  const [row] = await scene.db.sql("select count(*)::int as live from jobs where state in ('queued', 'running')");
  assert.is(row.live, 1);
});

test.run();
