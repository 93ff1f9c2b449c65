/** Tests that the work on a library survives replicas that die after each step, and what is left of a removed hub. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY } from "#lib/base/time.ts";
import { deleteCourseVersion } from "#lib/domains/courses/delete.ts";
import { requestLibraryRestore } from "#lib/domains/courses/restore-library.ts";
import { enqueueHubRemoval } from "#lib/domains/federations/remove.ts";
import { removeSpoke } from "#lib/domains/spokes/remove.ts";
import { HUB_OPERATIONS } from "#lib/operations/table.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { deleteOrphanedStorage } from "#lib/workers/orphans/remove-orphans.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import {
  backUpLibrary,
  type LibraryScene,
  listStoredPackages,
  openLibraryScene,
  publishEdition,
  readHub,
  waitForHubOperation,
} from "#test/lib/workers/courses/library-scene.ts";
import { listSteps, openDyingReplicas } from "#test/lib/workers/dying-replicas.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<LibraryScene>("the library of a hub and killed replicas");
test.before(openLibraryScene);
test.after(({ scene }) => scene.close());

test("backs up, restores and deletes packages, though a replica dies after each step", async (context) => {
  const { scene } = context, died: string[] = [];
  const first = await publishEdition(context, 1), second = await publishEdition(context, 2);
  await scene.stopReplicas();
  const kinds = ["back-up-library", "restore-library", "delete-course"];
  const replicas = await openDyingReplicas(scene, kinds, died);
  try {
    await backUpLibrary(context);
    const [backup] = await selectRows(scene.db, "library_backups", { state: "ready" }, { columns: ["packages"] });
    assert.is(backup!.packages.length, 2);
    const [handle] = scene.simulator.volumes.entries().find(([, { packages = {} }]) =>
      Object.keys(packages).length === 2
    )!;
    scene.simulator.volumes.write(handle, { packages: {} });
    await requestLibraryRestore(scene.app, scene.actor, context.hub.id, undefined);
    assert.is((await waitForHubOperation(context, "restore-library")).state, "succeeded");
    assert.equal(listStoredPackages(context).sort(), [first, second].sort());
    const hub = await readHub(context), course = hub.courses![0]!.id;
    await deleteCourseVersion(scene.app, scene.actor, hub, { course, version: 1 });
    assert.is((await waitForHubOperation(context, "delete-course")).state, "succeeded");
    assert.equal(listStoredPackages(context), [second]);
    const steps = [...listSteps(HUB_OPERATIONS["restore-library"]), ...listSteps(HUB_OPERATIONS["delete-course"])];
    assert.equal(steps.filter((step) => !died.includes(step)), []);
    assert.equal(died.filter((step) => step.startsWith("back-up-library")).length, 3);
  } finally {
    for (const replica of replicas) await replica.close();
  }
});

test("keeps the newest backup of a removed hub for 30 days, and then deletes it", async (context) => {
  const { scene, hub, origin } = context;
  await scene.replica();
  const contents = () =>
    scene.simulator.objects("VolumeSnapshotContent").filter(({ spec }) =>
      spec.volumeSnapshotRef.namespace === hub.namespace
    ).length;
  await removeSpoke(scene.app, scene.actor, await scene.row(origin));
  await scene.becomes(origin, "removed");
  await scene.db.transact((tx) => enqueueHubRemoval(tx, scene.actor, hub.id));
  await scene.hubBecomes(hub.id, "removed");
  const run = {
    ...{ signal: new AbortController().signal, log: SILENT_LOG, throwIfStopped: () => {}, showProgress: () => {} },
    timeLeft: () => 10_000,
    write: scene.db.transact,
  } as unknown as JobRun;
  const clean = async () => {
    for (const step of Object.values(deleteOrphanedStorage(scene.app).steps)) await step(run);
  };
  await clean();
  assert.is(contents(), 1, "somebody may have removed the hub by mistake");
  await updateRows(scene.db, "federations", { removedAt: new Date(Date.now() - 31 * DAY) }, { id: hub.id });
  await clean();
  assert.is(contents(), 0);
  assert.equal(await selectRows(scene.db, "library_backups", { state: "ready" }), []);
});

test.run();
