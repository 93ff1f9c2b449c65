/** Drills whose holder dies, in the middle of anything. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Handler, wrapSteps } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import { RESTORE_TEST } from "#lib/workers/restore-tests/restore-test.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import type { App } from "#lib/app.ts";
import {
  backUp,
  backupRow,
  type DrillScene,
  ended,
  night,
  openDrills,
  toldOf,
} from "#test/lib/workers/restore-tests/scene.ts";
import { until } from "#test/support/until.ts";

interface Context extends DrillScene {
  backupId: string;
}

const test = suite<Context>("a restore test that is killed");
const FOR_EVER = new Promise<never>(() => {});

test.before(async (context) => {
  Object.assign(context, await openDrills());
  const { scene, id } = context;
  const taker = await scene.replica();
  context.backupId = (await backUp(scene, id)).id;
  await taker.close();
});
test.after(({ scene }) => scene.close());

function start(app: App, wrap = (drill: Handler) => drill): Promise<Scheduler> {
  const known = createHandlers(app).filter(({ kind: { kind } }) =>
    ["plan-restore-tests", RESTORE_TEST.kind].includes(kind)
  );
  const own = known.map((handler) => handler.kind.kind === RESTORE_TEST.kind ? wrap(handler) : handler);
  return openScheduler(app, { handlers: own, lanes: 8, retry: { firstMs: 50, maxMs: 200 } });
}

/** The drill of this night, whose holder dies there: another one takes it over, and ends it. */
async function survive({ scene, id }: Context, dying: Scheduler, isDead: () => boolean): Promise<void> {
  const drill = await night(scene, id);
  await until(isDead);
  const heir = await start(scene.app);
  try {
    await until(() => heir.ready());
    await scene.db.sql("update jobs set holder = $2 where id = $1", [drill, heir.replicaId]);
    const { state, attempt, progress } = await ended(scene, drill);
    assert.equal([state, attempt, progress.outcome], ["succeeded", 1, "verified"]);
    const made = scene.simulator.history().filter(({ type, kind, name }) =>
      type === "ADDED" && kind === "Namespace" && name === progress.inputs.namespace
    );
    assert.is(made.length, 1);
  } finally {
    await Promise.all([heir.close(), dying.close()]);
  }
}

for (const { name } of RESTORE_TEST.steps) {
  test(`goes on where it stood when its holder had just done the step ${name}.`, async (context) => {
    const { scene, id, backupId } = context, before = (await toldOf(scene, id)).length;
    let dead = false;
    const wrap = (drill: Handler) =>
      wrapSteps(drill, (work, step) => async (run) => {
        await work(run);
        if (step !== name) return;
        dead = true;
        await FOR_EVER;
      });
    await survive(context, await start(scene.app, wrap), () => dead);
    assert.equal((await toldOf(scene, id)).slice(before), ["tenant_backup_verified"]);
    assert.ok((await backupRow(scene, backupId)).verifiedAt);
  });
}

for (const method of ["createNamespace", "createGlobal", "deleteGlobal"] as const) {
  test(`finds what its holder had just asked of the cluster, and not written down: ${method}.`, async (context) => {
    const { scene } = context, { clusters } = scene.app;
    let dead = false;
    const open = async (name: string): Promise<Cluster> => {
      const cluster = await clusters.open(name);
      const call = async (...given: unknown[]) => {
        await (cluster[method] as (...all: unknown[]) => Promise<unknown>)(...given);
        dead = true;
        return await FOR_EVER;
      };
      return { ...cluster, [method]: call };
    };
    await survive(context, await start({ ...scene.app, clusters: { ...clusters, open } }), () => dead);
  });
}

test.run();
