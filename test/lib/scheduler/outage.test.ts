/** A database that is away at the moment at which a failed try is to be written down. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/cluster/cluster.ts";
import type { Database } from "#lib/db/database.ts";
import { ConnectionLost } from "#lib/db/faults.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("startRun, while the database is away");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

test("still records why a try failed, as soon as the database is back", async ({ scene }) => {
  let away = 2, tries = 0, told: string | undefined;
  const on: Database = {
    ...scene.db,
    now: () => away-- > 0 ? Promise.reject(new ConnectionLost(new Error("cut"))) : scene.db.now(),
  };
  const work = kind("work", ["one"]);
  const [job] = await scene.enqueue(action(work, await scene.hub(1), 0));
  async function one(run: Run): Promise<void> {
    if (tries++ === 0) throw new ClusterError("unreachable", "no answer", { transient: true });
    told = run.job.failure?.code;
  }
  await scene.open([{ kind: work, steps: { one } }], { on });
  const { attempt } = await scene.until(job!.id, ({ state }) => state === "succeeded");
  assert.equal([attempt, told], [2, "unreachable"]);
});

test.run();
