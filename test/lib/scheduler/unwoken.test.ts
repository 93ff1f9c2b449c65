/** A replica that hears no wake-up: they are hints, sent after the commit, and any may be lost. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database } from "#lib/drivers/db/database.ts";
import { isFinished } from "#lib/records/jobs/job.ts";
import { requestCancel } from "#lib/records/jobs/store.ts";
import { until } from "#test/support/until.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("openScheduler, to which nobody calls");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

test("finds by itself what was asked for, and what was called off", async ({ scene }) => {
  const hub = await scene.hub(1), endless = kind("endless", ["only"]);
  const deaf: Database = { ...scene.db, wakeups: { subscribe: () => () => {} } };
  const only = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  const scheduler = await scene.open([{ kind: endless, steps: { only } }], { on: deaf });
  await until(() => scheduler.ready()); // it has looked, and found nothing

  const [job] = await scene.enqueue(action(endless, hub, 0));
  await scene.until(job!.id, ({ state }) => state === "running");
  await scene.db.transact((tx) => requestCancel(tx, job!.id));
  assert.is((await scene.until(job!.id, ({ state }) => isFinished(state))).state, "cancelled");
});

test.run();
