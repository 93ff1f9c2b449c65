/** Tests a replica that receives no wake-ups. They are hints, sent after the commit, and may be lost. */
import type { CompiledQuery } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database, RowQueries } from "#lib/drivers/db/database.ts";
import { isFinalJobState } from "#lib/jobs/job.ts";
import { requestJobCancellation } from "#lib/jobs/store.ts";
import { until } from "#test/support/until.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";
import { deleteRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("openScheduler without wake-ups");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

test("finds requested and cancelled jobs without a wake-up", async ({ scene }) => {
  const hub = await scene.hub(1), endless = kind("endless", ["only"]);
  const deaf: Database = { ...scene.db, wakeups: { subscribe: () => () => {} } };
  const only = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const scheduler = await scene.open([{ kind: endless, steps: { only } }], { on: deaf });
  await until(() => scheduler.ready()); // it has looked, and found nothing

  const [job] = await scene.enqueue(action(endless, hub, 0));
  await scene.until(job!.id, ({ state }) => state === "running");
  await scene.db.transact((tx) => requestJobCancellation(tx, job!.id));
  assert.is((await scene.until(job!.id, ({ state }) => isFinalJobState(state))).state, "cancelled");
});

test("finds a job whose lane has no ready-lane row", async ({ scene }) => {
  const hub = await scene.hub(1), short = kind("short", ["only"]);
  const [job] = await scene.enqueue(action(short, hub, 0));
  await deleteRows(scene.db, "ready_lanes");
  await scene.open([{ kind: short, steps: { only: () => Promise.resolve() } }]);
  await scene.until(job!.id, ({ state }) => state === "succeeded");
});

/** Returns rows that run `instead` for each statement whose text contains `text`. */
function intercepting(rows: RowQueries, part: string, ask: (query: CompiledQuery) => Promise<never>): RowQueries {
  return new Proxy(rows, {
    get(whole, name) {
      if (name === "executeQuery") {
        return (query: CompiledQuery) => query.sql.includes(part) ? ask(query) : whole.executeQuery(query);
      }
      const value = Reflect.get(whole, name, whole);
      return typeof value === "function" ? value.bind(whole) : value;
    },
  });
}

test("continues if the check for missed lanes fails", async ({ scene }) => {
  const hub = await scene.hub(1), short = kind("short", ["only"]);
  let refused = 0;
  const rows = intercepting(scene.db.rows, "uncalled", () => (refused++, Promise.reject(new Error("no"))));
  const [job] = await scene.enqueue(action(short, hub, 0));
  const scheduler = await scene.open([{ kind: short, steps: { only: () => Promise.resolve() } }], {
    on: { ...scene.db, rows },
  });
  await scene.until(job!.id, ({ state }) => state === "succeeded");
  await until(() => refused > 0 && scheduler.ready());
});

test("runs a job that a poll started although its reply was lost", async ({ scene }) => {
  const quiet = kind("quiet", ["only"], { visible: false }), started: string[] = [];
  let lost = 0;
  const rows: RowQueries = intercepting(scene.db.rows, "update jobs set state = 'running'", async (query) => {
    const answer = await scene.db.rows.executeQuery(query);
    if (lost > 0 || !(answer.rows as { id: string | null }[]).some(({ id }) => id !== null)) return answer as never;
    lost++;
    throw new Error("the answer was lost");
  });
  const [job] = await scene.enqueue({ kind: quiet, lane: "quiet", federationId: null, spokeId: null });
  await scene.open([{ kind: quiet, steps: { only: ({ job }) => Promise.resolve(void started.push(job.id)) } }], {
    on: { ...scene.db, rows },
  });
  const { attempt } = await scene.until(job!.id, ({ state }) => state === "succeeded");
  assert.equal([lost, started, attempt], [1, [job!.id], 1]);
});

test.run();
