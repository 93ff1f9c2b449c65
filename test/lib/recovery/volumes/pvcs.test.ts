/** Creates sites from another site's backup in new namespaces. Compares their data and secrets. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DATABASE_STATEFULSET_REF, getSitePvcNames, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import {
  createCall,
  createSite,
  createTarget,
  killAtWrite,
  Killed,
  nextRun,
  openVolumeScene,
  prepareNamespace,
  startSite,
  type VolumeScene,
} from "#test/lib/recovery/volumes/scene.ts";
import { addSiteContents, siteContentsOf, siteSecretsOf } from "#test/support/sites.ts";
import {
  createPvcsFromSnapshots,
  deleteSourceSnapshotContents,
  deleteSourceSnapshotsWhenBound,
  type VolumeContext,
} from "#lib/recovery/volumes/pvcs.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { readDatabase } from "#lib/steps/site-jobs.ts";

const test = suite<VolumeScene>("a site from another site's backup");
test.before(openVolumeScene);
test.after(({ scene }) => scene.close());

/** Counts the target's snapshots and contents, and the contents of the source's backups. */
function countSourceObjects(
  { scene: { simulator }, source }: VolumeScene,
  { space }: VolumeContext,
): readonly number[] {
  const snapshots = simulator.objects("VolumeSnapshot").filter(({ metadata }) =>
    metadata.namespace === space.namespace
  );
  const contents = (namespace: string) =>
    simulator.objects("VolumeSnapshotContent").filter(({ spec }) => spec.volumeSnapshotRef.namespace === namespace);
  return [snapshots.length, contents(space.namespace).length, contents(source.namespace).length];
}

test("has all data and no secrets of the source with a new identity", async (context) => {
  const { scene: { simulator }, source, snapshots } = context;
  const before = siteSecretsOf(simulator, source.namespace);
  assert.ok(Object.keys(before).length >= 20, Object.keys(before).join());
  const site = await createTarget(context, "new");
  await createSite(site, nextRun(), snapshots);
  const { namespace, host } = site.inputs;
  assert.equal(siteContentsOf(simulator, namespace), siteContentsOf(simulator, source.namespace));
  const old = new Set(Object.values(before)), own = siteSecretsOf(simulator, namespace);
  assert.equal(Object.entries(own).filter(([, value]) => old.has(value)), []);
  assert.ok(own["mdl_config siteidentifier"]!.endsWith(host), own["mdl_config siteidentifier"]);
  assert.is(own["role moodle"], own["Secret moodle DB_PASS"], "the role has the password of the Secret");
  assert.is(simulator.site(namespace).database!.config!.noemailever, "1");
  const { key, wwwroot, maintenance } = simulator.site(namespace).files;
  assert.equal([key !== undefined, wwwroot, maintenance], [true, host, undefined]);
  assert.equal(siteSecretsOf(simulator, source.namespace), before, "the source is unchanged");
  assert.equal(countSourceObjects(context, site), [0, 0, 2]);
});

test("is the same site with the same identity, except for ended sessions", async (context) => {
  const { scene: { simulator }, source, snapshots } = context, site = await createTarget(context, "same");
  await createSite(site, nextRun(), snapshots);
  const before = siteSecretsOf(simulator, source.namespace), after = siteSecretsOf(simulator, site.inputs.namespace);
  assert.equal(siteContentsOf(simulator, site.inputs.namespace), siteContentsOf(simulator, source.namespace));
  const { state, siteIdentifier } = await readDatabase(site, nextRun());
  assert.equal([state, siteIdentifier], ["installed", (await context.scene.row(source.id)).siteIdentifier]);
  const changed = Object.keys(before).filter((name) => before[name] !== after[name]).sort();
  const secretNames = Object.keys(before).filter((name) => name.startsWith("Secret ") && before[name] !== "");
  assert.equal(changed, [...secretNames, "role moodle", "sessions"].sort());
});

for (const when of ["before", "after"] as const) {
  test(`is created once, and its sources are deleted, if the process is killed ${when} each write`, async (context) => {
    const { scene: { simulator }, source, snapshots } = context, site = await createTarget(context, "new");
    const { namespace } = site.inputs;
    await prepareNamespace(site, nextRun());
    const kills = await countKills(site, when, (killed) => createPvcsFromSnapshots(killed, nextRun(), snapshots));
    assert.ok(kills >= 5, `expected a kill at two contents, two snapshots and a PVC: ${kills} kills`);
    assert.equal(countSourceObjects(context, site), [2, 2, 2]);
    await startSite(site, nextRun());
    await countKills(site, when, (killed) => deleteSourceSnapshotsWhenBound(killed, nextRun()));
    assert.equal(countSourceObjects(context, site), [0, 0, 2]);
    const pvcs = simulator.objects("PersistentVolumeClaim").filter(({ metadata }) => metadata.namespace === namespace);
    assert.equal(pvcs.map(({ metadata }) => metadata.name).sort(), Object.values(getSitePvcNames({})).sort());
    await createSite(site, nextRun(), snapshots); // like a process without earlier state
    assert.equal(siteContentsOf(simulator, namespace), siteContentsOf(simulator, source.namespace));
    assert.equal(countSourceObjects(context, site), [0, 0, 2]);
  });
}

test("is adopted once, also after restarts", async (context) => {
  const { scene: { simulator }, snapshots } = context,
    site = await createTarget(context, "new"),
    { namespace } = site.inputs;
  await createSite(site, nextRun(), snapshots);
  addSiteContents(simulator, namespace, "its own");
  const before = siteSecretsOf(simulator, namespace);
  for (const ref of [DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF]) {
    await site.space.patch(
      ref,
      [{ op: "add", path: "/spec/template/metadata/annotations", value: { again: "yes" } }],
      createCall(),
    );
    await waitForWorkload(site as unknown as SpokeSite, nextRun(), ref);
  }
  assert.equal(siteSecretsOf(simulator, namespace), before);
  assert.equal(siteContentsOf(simulator, namespace).row, "its own");
});

/** Runs the work and kills it at its first write, then at its second, and so on. Returns the number of kills. */
async function countKills(
  site: VolumeContext,
  when: "before" | "after",
  work: (site: VolumeContext) => Promise<void>,
): Promise<number> {
  for (let nth = 1;; nth++) {
    try {
      await work(killAtWrite(site, nth, when));
      return nth - 1;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

test("can be deleted before it is ready, and the next site uses the same snapshots", async (context) => {
  const { scene: { simulator }, source, snapshots } = context,
    first = await createTarget(context, "new"),
    run = nextRun();
  await createPvcsFromSnapshots(first, run, snapshots);
  assert.equal(countSourceObjects(context, first), [2, 2, 2]);
  await first.space.remove({ ...createCall(), timeout: 20_000 });
  assert.equal(countSourceObjects(context, first), [0, 2, 2], "retained contents remain");
  await deleteSourceSnapshotContents(first.cluster, run, {
    namespace: first.space.namespace,
    adoptionId: first.inputs.origin!.adoptionId,
  });
  assert.equal(countSourceObjects(context, first), [0, 0, 2]);
  const second = await createTarget(context, "new");
  await createSite(second, nextRun(), snapshots);
  assert.equal(siteContentsOf(simulator, second.inputs.namespace), siteContentsOf(simulator, source.namespace));
});

test.run();
