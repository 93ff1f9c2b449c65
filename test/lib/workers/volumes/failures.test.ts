/** Why no site can be made from a backup: found out before anything is made, or told by what the cluster shows. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { SPOKE_STEPS } from "#lib/moodle/blueprint-files.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { DATABASE_STATEFULSET } from "#lib/moodle/names.ts";
import { createPvcsFromSnapshots, type SiteSnapshots, type StorageSnapshot } from "#lib/workers/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/workers/volumes/backup-snapshots.ts";
import { waitForWorkload } from "#lib/workers/workloads.ts";
import type { SpokeSite } from "#lib/workers/site.ts";
import { edited } from "#test/lib/moodle/fixtures.ts";
import { make, nextRun, openVolumeScene, place, put, type VolumeScene } from "#test/lib/workers/volumes/scene.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<VolumeScene>("createPvcsFromSnapshots");
test.before(openVolumeScene);
test.after(({ scene }) => scene.close());

const GI = 2 ** 30;

function withBoth({ volumes, ...rest }: SiteSnapshots, change: Partial<StorageSnapshot>): SiteSnapshots {
  return { ...rest, volumes: { files: { ...volumes.files, ...change }, database: { ...volumes.database, ...change } } };
}

const isClaim = ({ kind }: { readonly kind: string }) => kind === "PersistentVolumeClaim";

async function refused(work: Promise<unknown>): Promise<ClusterError> {
  const error = await rejection(work);
  assert.instance(error, ClusterError, error.stack);
  assert.is((error as ClusterError).transient, false, error.message);
  assert.ok((error as ClusterError).hint, "somebody has to know what to do");
  return error as ClusterError;
}

for (
  const [what, change, code, words] of [
    [
      "of another cluster, whatever it is called",
      (from) => ({ ...from, clusterUid: "another" }),
      "another_cluster",
      /in the cluster default, not/,
    ],
    [
      "of a cluster of another name, where that is all that is known",
      (from) => ({ ...from, clusterUid: null, cluster: "other" }),
      "another_cluster",
      /other/,
    ],
    [
      "of a driver that the cluster has no class of",
      (from) => withBoth(from, { driver: "gone.example" }),
      "NoSnapshotClass",
      /no VolumeSnapshotClass for gone\.example/,
    ],
    [
      "that the storage does not have any more",
      (from) => withBoth(from, { handle: "deleted" }),
      "SnapshotGone",
      /can not find snapshot for snapshotID deleted/,
    ],
  ] as [string, (from: SiteSnapshots) => SiteSnapshots, string, RegExp][]
) {
  test(`refuses snapshots ${what}, and makes no claim`, async (context) => {
    const site = await place(context, "new"), run = nextRun();
    await put(site, run, "policies");
    const error = await refused(createPvcsFromSnapshots(site, run, change(context.snapshots)));
    assert.is(error.code, code, error.message);
    assert.match(error.message, words);
    const claims = context.scene.simulator.objects("PersistentVolumeClaim");
    assert.equal(claims.filter(({ metadata }) => metadata.namespace === site.space.namespace), []);
  });
}

test("takes another class of the driver where the one that they were taken by is gone", async (context) => {
  const site = await place(context, "new");
  await make(site, nextRun(), withBoth(context.snapshots, { class: "of-old" }));
});

test("makes claims as large as the snapshots, where the size has smaller disks", async (context) => {
  const site = await place(context, "new"), run = nextRun();
  await put(site, run, "policies");
  await createPvcsFromSnapshots(site, run, withBoth(context.snapshots, { restoreSize: 12 * GI }));
  const claims = context.scene.simulator.objects("PersistentVolumeClaim")
    .filter(({ metadata }) => metadata.namespace === site.space.namespace);
  assert.equal(claims.map(({ spec }) => spec.resources.requests.storage), ["12Gi", "12Gi"]);
});

test("refuses a claim of that name that was made from something else", async (context) => {
  const site = await place(context, "new"), run = nextRun(), { origin: _, ...plain } = site.inputs;
  await put({ ...site, inputs: plain }, run, "policies");
  const claims = SPOKE_STEPS.flatMap((step) => site.blueprint.spokeObjects(plain, step)).filter(isClaim);
  for (const claim of claims) await site.space.create(claim, run);
  const error = await refused(createPvcsFromSnapshots(site, run, context.snapshots));
  assert.equal([error.code, /PersistentVolumeClaim files/.test(error.message)], ["ClaimTaken", true]);
});

test("refuses a blueprint that makes no data its own, before it makes anything", async (context) => {
  const blueprint = createBlueprint(edited("database.yaml", 'initContainers: ["${ADOPT_DATABASE}"]', ""));
  const site = { ...await place(context, "new"), blueprint };
  assert.is((await refused(createPvcsFromSnapshots(site, nextRun(), context.snapshots))).code, "BlueprintLacks");
});

for (
  const [what, expected, words, ready] of [
    ["there is no site on the volume", "NoSiteInSnapshot", /no database on this volume/, emptied],
    ["the data is of another version of PostgreSQL", "OtherPostgres", /incompatible with server/, ofVersion18],
    [
      "the snapshot is larger than the disk after all",
      "DiskTooSmall",
      /requested volume size \d+ is less than/,
      tooSmall,
    ],
    [
      "its storage class is of another driver",
      "OtherDriver",
      /is not handled by CSI driver of StorageClass foreign/,
      elsewhere,
    ],
  ] as const
) {
  test(`says that ${what}, where the database does not come up for that`, async (context) => {
    const [site, from] = await ready(context), run = nextRun(30_000);
    await put(site, run, "policies", "secrets");
    for (const secret of site.blueprint.newSecrets(site.inputs)) await site.space.create(secret, run);
    await createPvcsFromSnapshots(site, run, from);
    await put(site, run, "database");
    const error = await refused(waitForWorkload(site as unknown as SpokeSite, run, DATABASE_STATEFULSET));
    assert.is(error.code, expected, error.message);
    assert.match(error.message, words);
  });
}

/** A backup of two volumes without anything on them. */
async function emptied(context: VolumeScene) {
  const { scene: { simulator, app }, source, snapshots } = context, url = simulator.url, namespace = source.namespace;
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const claimed = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const annotations = { "volume.kubernetes.io/selected-node": "127.0.0.1" };
  await postObject(url, path, { metadata: { name: "empty", annotations }, spec: claimed });
  const space = (await app.clusters.open(source.cluster)).space(namespace, source.namespaceUid!);
  const snapshot = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot", name: "empty" };
  const spec = { volumeSnapshotClassName: "standard-retain", source: { persistentVolumeClaimName: "empty" } };
  const patience = { ...nextRun(), timeout: 20_000 };
  await space.ready([{ apiVersion: "v1", kind: "PersistentVolumeClaim", name: "empty" }], patience);
  const made = await space.create({ ...snapshot, metadata: { name: "empty" }, spec }, nextRun());
  await space.ready([snapshot], patience);
  const handle = `snapshot-${made.metadata.uid}`;
  return [await place(context, "new"), withBoth(snapshots, { handle, restoreSize: GI })] as const;
}

async function ofVersion18(context: VolumeScene) {
  const { images } = context.source.blueprintInputs;
  const changes = { images: { ...images, postgres: "postgres:18-alpine" } };
  return [await place(context, "new", changes), context.snapshots] as const;
}

/** The row does not say how large it was, and the size that is asked for has smaller disks. */
async function tooSmall(context: VolumeScene) {
  const { resources } = context.source.blueprintInputs;
  const changes = { resources: { ...resources, disks: { files: "1Gi", database: "1Gi" } } };
  return [await place(context, "new", changes), withBoth(context.snapshots, { restoreSize: null })] as const;
}

async function elsewhere(context: VolumeScene) {
  const { scene: { simulator }, source: { blueprintInputs: { surroundings } }, snapshots } = context;
  const storage = {
    provisioner: "foreign.example",
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
  };
  await postObject(simulator.url, "/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: "foreign" },
    ...storage,
  });
  const changes = { surroundings: { ...surroundings, storageClass: "foreign" } };
  return [await place(context, "new", changes), snapshots] as const;
}

test.run();

const rows = suite("snapshotsOf");
const volume = (claim: string, more = {}) => ({
  claim,
  snapshot: "s",
  handle: `of ${claim}`,
  driver: "d",
  class: "c",
  ...more,
});
const backup = (...volumes: ReturnType<typeof volume>[]) => ({ id: "bak_1", cluster: "default", volumes });

rows("tells the database's volume from that of the files, whatever the claims were called", () => {
  const both = backup(volume("data-k5r2-db-0", { restoreSize: 7 }), volume("files-k5r2"));
  assert.equal(readBackupSnapshots(both, { clusterUid: "uid" }), {
    cluster: "default",
    clusterUid: "uid",
    volumes: {
      files: { handle: "of files-k5r2", driver: "d", class: "c", restoreSize: null },
      database: { handle: "of data-k5r2-db-0", driver: "d", class: "c", restoreSize: 7 },
    },
  });
});

rows("refuses a backup of which a volume, or its handle, is not known", () => {
  for (
    const half of [backup(volume("files")), backup(volume("files"), { claim: "data-db-0", snapshot: "s" } as never)]
  ) {
    assert.throws(
      () => readBackupSnapshots(half, { clusterUid: null }),
      /Backup bak_1 is incomplete: it has no snapshot of the database/,
    );
  }
});

rows.run();
