/** Tests the backups of a hub's library, its restore, and the deletion of versions, in a simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY } from "#lib/base/time.ts";
import { deleteCourseVersion } from "#lib/domains/courses/delete.ts";
import { planLibraryRestore, requestLibraryRestore } from "#lib/domains/courses/restore-library.ts";
import { listHubCourses } from "#lib/domains/courses/show.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import {
  backUpLibrary,
  checkLibraryAgain,
  type LibraryScene,
  listStoredPackages,
  openLibraryScene,
  publishEdition,
  readHub,
  readLibrary,
  waitForHubOperation,
} from "#test/lib/workers/courses/library-scene.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<LibraryScene>("the library of a hub");
test.before(openLibraryScene);
test.after(({ scene }) => scene.close());

const hashes: string[] = [];

async function courseOf(context: LibraryScene) {
  return (await listHubCourses(context.scene.db.rows, await readHub(context), context.scene.actor))[0]!;
}

async function deleteVersion(context: LibraryScene, version: number) {
  const { scene } = context, hub = await readHub(context);
  return await deleteCourseVersion(scene.app, scene.actor, hub, { course: hub.courses![0]!.id, version });
}

async function restore(context: LibraryScene) {
  await requestLibraryRestore(context.scene.app, context.scene.actor, context.hub.id, undefined);
  return await waitForHubOperation(context, "restore-library");
}

function listTemporaryObjects({ scene: { simulator } }: LibraryScene): string[] {
  return ["PersistentVolumeClaim", "VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) =>
    simulator.objects(kind).map(({ metadata }) => metadata.name)
  ).filter((name) => /library-restore|origin-library/.test(name));
}

test("backs up the packages after a publication, and again only if there is a new one", async (context) => {
  hashes.push(await publishEdition(context, 1));
  assert.is((await courseOf(context)).versions[0]!.backedUpAt, null);
  await backUpLibrary(context);
  const [first] = (await readLibrary(context)).backups;
  assert.equal([first!.packages, (await courseOf(context)).versions[0]!.backedUpAt], [1, first!.createdAt]);
  await checkLibraryAgain(context);
  assert.is((await readLibrary(context)).backups.length, 1, "nothing has changed");
  hashes.push(await publishEdition(context, 2));
  await backUpLibrary(context);
  const library = await readLibrary(context);
  assert.equal(library.backups.map(({ packages }) => packages), [2], "one backup of a day remains");
  assert.equal(
    [library.packages, library.packageBytes, library.usedBytes, library.capacityBytes, library.error],
    [2, 42_000_000, 42_000_000, 20 * 2 ** 30, null],
  );
  const [content] = context.scene.simulator.objects("VolumeSnapshotContent");
  assert.is(content!.spec.deletionPolicy, "Retain");
});

test("reports packages that are lost once, and restores them", async (context) => {
  const { scene, hub } = context, { volumes } = scene.simulator;
  const [handle] = volumes.entries().find(([, data]) => Object.keys(data.packages ?? {}).length === 2)!;
  volumes.write(handle, { packages: {} });
  await checkLibraryAgain(context);
  await checkLibraryAgain(context);
  const lost = await readLibrary(context), { id } = await courseOf(context);
  assert.equal(
    [lost.missing.sort(), lost.backups.length],
    [[`${id}@1`, `${id}@2`], 1],
    "no backup replaces the good one",
  );
  assert.match(lost.error!, "lacks packages: BIO-D, version 1; BIO-D, version 2");
  assert.match(lost.error!, "wheelwright restore --library --hub north");
  const events = await selectRows(scene.db, "audit_events", {
    federationId: hub.id,
    kind: "federation_library_failed",
  });
  assert.is(events.length, 1);
  assert.ok((await courseOf(context)).versions.every(({ isMissing }) => isMissing));
  const { state, progress, failure } = await restore(context);
  assert.equal([state, progress.notes, failure], ["succeeded", ["2 of 2 packages were copied from the backup"], null]);
  assert.equal(listStoredPackages(context).sort(), [...hashes].sort());
  assert.equal(listTemporaryObjects(context), []);
  await backUpLibrary(context);
  assert.equal([(await readLibrary(context)).missing, (await readLibrary(context)).error], [[], null]);
});

test("restores the packages after the volume was deleted, and keeps those that are newer than the backup", async (context) => {
  const { scene, hub } = context,
    space = (await scene.app.clusters.open(hub.cluster)).space(
      hub.namespace,
      (await readHub(context)).namespaceUid!,
    );
  const call = { signal: AbortSignal.timeout(60_000) };
  for (
    const ref of [
      { apiVersion: "apps/v1", kind: "Deployment", name: "library" },
      { apiVersion: "v1", kind: "PersistentVolumeClaim", name: "library" },
    ]
  ) {
    await space.delete(ref, (await space.get(ref, call))!.metadata.uid!, call);
    await space.gone([ref], { ...call, timeout: 60_000 });
  }
  await checkLibraryAgain(context);
  assert.match((await readLibrary(context)).error!, "lost its volume");
  hashes.push(await publishEdition(context, 3));
  await backUpLibrary(context);
  const { backup, absent } = await planLibraryRestore(scene.db.rows, await readHub(context));
  assert.equal([backup.packages.length, absent], [2, ["BIO-D, version 3"]], "not the newest, which has one package");
  const { progress, failure } = await restore(context);
  assert.equal([progress.notes, failure], [["2 of 3 packages were copied from the backup"], null]);
  assert.equal(listStoredPackages(context).sort(), [...hashes].sort());
});

test("deletes a version and its package, and never gives its number to another one", async (context) => {
  const { id } = await courseOf(context);
  const unknown = await rejection(deleteVersion(context, 9));
  assert.is(unknown.code, "course_version_missing");
  await deleteVersion(context, 3);
  const { state, progress } = await waitForHubOperation(context, "delete-course");
  assert.equal([state, progress.notes], ["succeeded", ["Version 3 of BIO-D was deleted"]]);
  assert.equal(listStoredPackages(context).sort(), hashes.slice(0, 2).sort());
  assert.equal((await courseOf(context)).versions.map(({ version }) => version), [2, 1]);
  hashes[2] = await publishEdition(context, 4);
  assert.is((await courseOf(context)).versions[0]!.release, `${id}@4`);
});

test("keeps a version that the hub, a spoke or a recent policy needs", async (context) => {
  const { scene, hub } = context, { id } = await courseOf(context);
  const refuse = async (version: number) => (await rejection(deleteVersion(context, version))).message;
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [`${id}@1`] } });
  assert.is(
    await refuse(1),
    "Cannot delete the version: the hub gives it to its spokes; give them another version first",
  );
  await patchPolicy(scene.app, scene.actor, hub, { courses: { releases: [`${id}@2`] } });
  assert.match(await refuse(1), /^Cannot delete the version: the hub gave it to its spokes until \d{4}-/);
  await scene.db.sql(
    `update spokes set policy = jsonb_build_object('overrides', jsonb_build_object('courses', jsonb_build_object(
       'values', jsonb_build_object('releases', jsonb_build_array($2::text))))) where id = $1`,
    [context.origin, `${id}@1`],
  );
  assert.match(await refuse(1), "origin has it");
  await scene.db.sql("update spokes set policy = null where id = $1", [context.origin]);
  await scene.db.shiftClock(8 * DAY);
  await deleteVersion(context, 1);
  await waitForHubOperation(context, "delete-course");
  assert.equal((await courseOf(context)).versions.map(({ version }) => version), [4, 2]);
});

test.run();
