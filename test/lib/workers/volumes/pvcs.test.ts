/** Sites from another site's backup, in namespaces of their own: the data followed, the secrets compared. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DATABASE_STATEFULSET, MOODLE_DEPLOYMENT, sitePvcNames } from "#lib/moodle/names.ts";
import {
  call,
  Killed,
  killedAt,
  make,
  nextRun,
  openVolumeScene,
  place,
  prepare,
  start,
  type VolumeScene,
} from "#test/lib/workers/volumes/scene.ts";
import { addSiteContents, siteContentsOf, siteSecretsOf } from "#test/support/sites.ts";
import {
  createPvcsFromSnapshots,
  deleteSourceContents,
  deleteSourceObjectsWhenBound,
  type VolumeContext,
} from "#lib/workers/volumes/pvcs.ts";
import { waitForWorkload } from "#lib/workers/workloads.ts";
import type { SpokeSite } from "#lib/workers/site.ts";
import { readDatabase } from "#lib/workers/site-jobs.ts";

const test = suite<VolumeScene>("a site from another's backup");
test.before(openVolumeScene);
test.after(({ scene }) => scene.close());

/** What stands in the cluster of the pairs that volumes are made by, and how many backups of the source there still are. */
function pairs({ scene: { simulator }, source }: VolumeScene, { space }: VolumeContext): readonly number[] {
  const snapshots = simulator.objects("VolumeSnapshot").filter(({ metadata }) =>
    metadata.namespace === space.namespace
  );
  const contents = (namespace: string) =>
    simulator.objects("VolumeSnapshotContent").filter(({ spec }) => spec.volumeSnapshotRef.namespace === namespace);
  return [snapshots.length, contents(space.namespace).length, contents(source.namespace).length];
}

test("has all of its data and none of its secrets, where it is a site of its own", async (context) => {
  const { scene: { simulator }, source, snapshots } = context;
  const before = siteSecretsOf(simulator, source.namespace);
  assert.ok(Object.keys(before).length >= 20, Object.keys(before).join());
  const site = await place(context, "new");
  await make(site, nextRun(), snapshots);
  const { namespace, host } = site.inputs;
  assert.equal(siteContentsOf(simulator, namespace), siteContentsOf(simulator, source.namespace));
  const old = new Set(Object.values(before)), own = siteSecretsOf(simulator, namespace);
  assert.equal(Object.entries(own).filter(([, value]) => old.has(value)), []);
  assert.ok(own["mdl_config siteidentifier"]!.endsWith(host), own["mdl_config siteidentifier"]);
  assert.is(own["role moodle"], own["Secret moodle DB_PASS"], "the password is the one that is known");
  assert.is(simulator.site(namespace).database!.config!.noemailever, "1");
  const { key, wwwroot, maintenance } = simulator.site(namespace).files;
  assert.equal([key !== undefined, wwwroot, maintenance], [true, host, undefined]);
  assert.equal(siteSecretsOf(simulator, source.namespace), before, "and the other one is as it was");
  assert.equal(pairs(context, site), [0, 0, 2]);
});

test("is the very site that was there, where it is to be: its sessions alone have ended", async (context) => {
  const { scene: { simulator }, source, snapshots } = context, site = await place(context, "same");
  await make(site, nextRun(), snapshots);
  const before = siteSecretsOf(simulator, source.namespace), after = siteSecretsOf(simulator, site.inputs.namespace);
  assert.equal(siteContentsOf(simulator, site.inputs.namespace), siteContentsOf(simulator, source.namespace));
  const { state, siteIdentifier } = await readDatabase(site, nextRun());
  assert.equal([state, siteIdentifier], ["installed", (await context.scene.row(source.id)).siteIdentifier]);
  const changed = Object.keys(before).filter((name) => before[name] !== after[name]).sort();
  const made = Object.keys(before).filter((name) => name.startsWith("Secret ") && before[name] !== "");
  assert.equal(changed, [...made, "role moodle", "sessions"].sort());
});

for (const when of ["before", "after"] as const) {
  test(`is made once, and cleared up after, where its maker is killed ${when} each of its writes`, async (context) => {
    const { scene: { simulator }, source, snapshots } = context, site = await place(context, "new");
    const { namespace } = site.inputs;
    await prepare(site, nextRun());
    const kills = await killedUntilDone(site, when, (killed) => createPvcsFromSnapshots(killed, nextRun(), snapshots));
    assert.ok(kills >= 5, `two contents, two snapshots, a claim, and the other one: it was killed ${kills} times`);
    assert.equal(pairs(context, site), [2, 2, 2]);
    await start(site, nextRun());
    await killedUntilDone(site, when, (killed) => deleteSourceObjectsWhenBound(killed, nextRun()));
    assert.equal(pairs(context, site), [0, 0, 2]);
    const claims = simulator.objects("PersistentVolumeClaim").filter(({ metadata }) =>
      metadata.namespace === namespace
    );
    assert.equal(claims.map(({ metadata }) => metadata.name).sort(), Object.values(sitePvcNames({})).sort());
    await make(site, nextRun(), snapshots); // as one who knows nothing of all that
    assert.equal(siteContentsOf(simulator, namespace), siteContentsOf(simulator, source.namespace));
    assert.equal(pairs(context, site), [0, 0, 2]);
  });
}

test("is adopted once, however often it is started", async (context) => {
  const { scene: { simulator }, snapshots } = context, site = await place(context, "new"), { namespace } = site.inputs;
  await make(site, nextRun(), snapshots);
  addSiteContents(simulator, namespace, "its own");
  const before = siteSecretsOf(simulator, namespace);
  for (const ref of [DATABASE_STATEFULSET, MOODLE_DEPLOYMENT]) {
    await site.space.patch(
      ref,
      [{ op: "add", path: "/spec/template/metadata/annotations", value: { again: "yes" } }],
      call(),
    );
    await waitForWorkload(site as unknown as SpokeSite, nextRun(), ref);
  }
  assert.equal(siteSecretsOf(simulator, namespace), before);
  assert.equal(siteContentsOf(simulator, namespace).row, "its own");
});

/** Killed at its first write, then at its second, and so on; how often. */
async function killedUntilDone(
  site: VolumeContext,
  when: "before" | "after",
  work: (site: VolumeContext) => Promise<void>,
): Promise<number> {
  for (let nth = 1;; nth++) {
    try {
      await work(killedAt(site, nth, when));
      return nth - 1;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}

test("that is given up leaves what it was made from to the next one, and nothing else", async (context) => {
  const { scene: { simulator }, source, snapshots } = context, first = await place(context, "new"), run = nextRun();
  await createPvcsFromSnapshots(first, run, snapshots);
  assert.equal(pairs(context, first), [2, 2, 2]);
  await first.space.remove({ ...call(), timeout: 20_000 });
  assert.equal(pairs(context, first), [0, 2, 2], "contents that retain stand in no namespace");
  await deleteSourceContents(first.cluster, run, { namespace: first.space.namespace, turn: first.inputs.origin!.turn });
  assert.equal(pairs(context, first), [0, 0, 2]);
  const second = await place(context, "new");
  await make(second, nextRun(), snapshots);
  assert.equal(siteContentsOf(simulator, second.inputs.namespace), siteContentsOf(simulator, source.namespace));
});

test.run();
