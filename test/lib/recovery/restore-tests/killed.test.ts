/** Tests restore tests whose replica is killed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type JobHandler, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import { RESTORE_TEST } from "#lib/recovery/restore-tests/context.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import type { App } from "#lib/app.ts";
import {
  backUp,
  backupRow,
  listOutcomeKinds,
  openRestoreTestScene,
  queueTest,
  type RestoreTestScene,
  waitForTest,
} from "#test/lib/recovery/restore-tests/scene.ts";
import { until } from "#test/support/until.ts";
import { updateRows } from "#test/support/rows.ts";

interface Context extends RestoreTestScene {
  backupId: string;
}

const test = suite<Context>("a restore test that is killed");
const NEVER = new Promise<never>(() => {});

test.before(async (context) => {
  Object.assign(context, await openRestoreTestScene());
  const { scene, id } = context;
  const firstReplica = await scene.replica();
  context.backupId = (await backUp(scene, id)).id;
  await firstReplica.close();
});
test.after(({ scene }) => scene.close());

function start(app: App, wrap = (drill: JobHandler) => drill): Promise<Scheduler> {
  const selected = createHandlers(app).filter(({ kind: { kind } }) =>
    ["plan-restore-tests", RESTORE_TEST.kind].includes(kind)
  );
  const wrapped = selected.map((handler) => handler.kind.kind === RESTORE_TEST.kind ? wrap(handler) : handler);
  return openScheduler(app, { handlers: wrapped, lanes: 8, retry: { firstMs: 50, maxMs: 200 } });
}

/** Queues a restore test whose replica hangs. Asserts that another replica takes the job over and ends it. */
async function assertTakenOver({ scene, id }: Context, dying: Scheduler, isDead: () => boolean): Promise<void> {
  const drill = await queueTest(scene, id);
  await until(isDead);
  const successor = await start(scene.app);
  try {
    await until(() => successor.ready());
    await updateRows(scene.db, "jobs", { holder: successor.replicaId }, { id: drill });
    const { state, attempt, progress } = await waitForTest(scene, drill);
    assert.equal([state, attempt, progress.outcome], ["succeeded", 1, "verified"]);
    const namespaces = scene.simulator.history().filter(({ type, kind, name }) =>
      type === "ADDED" && kind === "Namespace" && name === progress.inputs!.namespace
    );
    assert.is(namespaces.length, 1);
  } finally {
    await Promise.all([successor.close(), dying.close()]);
  }
}

for (const { name } of RESTORE_TEST.steps) {
  test(`continues after the step ${name} if its replica is killed`, async (context) => {
    const { scene, id, backupId } = context, before = (await listOutcomeKinds(scene, id)).length;
    let dead = false;
    const wrap = (drill: JobHandler) =>
      wrapStepFunctions(drill, (work, step) => async (run) => {
        await work(run);
        if (step !== name) return;
        dead = true;
        await NEVER;
      });
    await assertTakenOver(context, await start(scene.app, wrap), () => dead);
    assert.equal((await listOutcomeKinds(scene, id)).slice(before), ["tenant_backup_verified"]);
    assert.ok((await backupRow(scene, backupId)).verifiedAt);
  });
}

for (const method of ["createNamespace", "createGlobal", "deleteGlobal"] as const) {
  test(`finds objects that a killed replica created but did not record: ${method}`, async (context) => {
    const { scene } = context, { clusters } = scene.app;
    let dead = false;
    const open = async (name: string): Promise<Cluster> => {
      const cluster = await clusters.open(name);
      const call = async (...args: unknown[]) => {
        await (cluster[method] as (...all: unknown[]) => Promise<unknown>)(...args);
        dead = true;
        return await NEVER;
      };
      return { ...cluster, [method]: call };
    };
    await assertTakenOver(context, await start({ ...scene.app, clusters: { ...clusters, open } }), () => dead);
  });
}

test.run();
