/** Tests why a site cannot be created from a backup: problems found in advance, and failures of the cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { SPOKE_INSTALL_STEPS } from "#lib/moodle/blueprint-files.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { DATABASE_STATEFULSET_REF } from "#lib/moodle/names.ts";
import { createPvcsFromSnapshots, type SiteSnapshots } from "#lib/recovery/volumes/pvcs.ts";
import type { StorageSnapshot } from "#lib/recovery/volumes/snapshot-source.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import { isStepError, type SpokeSite, type StepError } from "#lib/steps/site.ts";
import { edited } from "#test/lib/moodle/fixtures.ts";
import {
  applySteps,
  createSite,
  createTarget,
  nextRun,
  openVolumeScene,
  type VolumeScene,
} from "#test/lib/recovery/volumes/scene.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<VolumeScene>("createPvcsFromSnapshots");
test.before(openVolumeScene);
test.after(({ scene }) => scene.close());

const GI = 2 ** 30;

function changeVolumes({ volumes, ...rest }: SiteSnapshots, change: Partial<StorageSnapshot>): SiteSnapshots {
  return { ...rest, volumes: { files: { ...volumes.files, ...change }, database: { ...volumes.database, ...change } } };
}

const isPvc = ({ kind }: { readonly kind: string }) => kind === "PersistentVolumeClaim";

async function requireFinalError(work: Promise<unknown>): Promise<StepError> {
  const error = await rejection(work);
  assert.ok(isStepError(error), error.stack);
  assert.is(error instanceof ClusterError && error.transient, false, error.message);
  assert.ok(error.hint, "the error has a hint");
  return error;
}

for (
  const [what, change, code, pattern] of [
    [
      "of another cluster with the same name",
      (from) => ({ ...from, clusterUid: "another" }),
      "another_cluster",
      /in the cluster default, but this site is in another/,
    ],
    [
      "of a cluster with another name and no UID",
      (from) => ({ ...from, clusterUid: null, cluster: "other" }),
      "another_cluster",
      /other/,
    ],
    [
      "of a driver without a class in the cluster",
      (from) => changeVolumes(from, { driver: "gone.example" }),
      "NoSnapshotClass",
      /no VolumeSnapshotClass for gone\.example/,
    ],
    [
      "that the storage no longer has",
      (from) => changeVolumes(from, { handle: "deleted" }),
      "SnapshotGone",
      /can not find snapshot for snapshotID deleted/,
    ],
  ] as [string, (from: SiteSnapshots) => SiteSnapshots, string, RegExp][]
) {
  test(`refuses snapshots ${what}, and creates no PVC`, async (context) => {
    const site = await createTarget(context, "new"), run = nextRun();
    await applySteps(site, run, "policies");
    const error = await requireFinalError(createPvcsFromSnapshots(site, run, change(context.snapshots)));
    assert.is(error.code, code, error.message);
    assert.match(error.message, pattern);
    const pvcs = context.scene.simulator.objects("PersistentVolumeClaim");
    assert.equal(pvcs.filter(({ metadata }) => metadata.namespace === site.space.namespace), []);
  });
}

test("uses another class of the driver if the original one is missing", async (context) => {
  const site = await createTarget(context, "new");
  await createSite(site, nextRun(), changeVolumes(context.snapshots, { class: "of-old" }));
});

test("creates PVCs as large as the snapshots if the size has smaller ones", async (context) => {
  const site = await createTarget(context, "new"), run = nextRun();
  await applySteps(site, run, "policies");
  await createPvcsFromSnapshots(site, run, changeVolumes(context.snapshots, { restoreSize: 12 * GI }));
  const pvcs = context.scene.simulator.objects("PersistentVolumeClaim")
    .filter(({ metadata }) => metadata.namespace === site.space.namespace);
  assert.equal(pvcs.map(({ spec }) => spec.resources.requests.storage), ["12Gi", "12Gi"]);
});

test("refuses an existing PVC that was not created from the snapshot", async (context) => {
  const site = await createTarget(context, "new"), run = nextRun(), { origin: _, ...plain } = site.inputs;
  await applySteps({ ...site, inputs: plain }, run, "policies");
  const pvcs = SPOKE_INSTALL_STEPS.flatMap((step) => site.blueprint.spokeObjects(plain, step)).filter(isPvc);
  for (const claim of pvcs) await site.space.create(claim, run);
  const error = await requireFinalError(createPvcsFromSnapshots(site, run, context.snapshots));
  assert.equal([error.code, /PersistentVolumeClaim files/.test(error.message)], ["ClaimTaken", true]);
});

test("refuses a blueprint without an adopting container before it creates anything", async (context) => {
  const blueprint = createBlueprint(edited("database.yaml", 'initContainers: ["${ADOPT_DATABASE}"]', ""));
  const site = { ...await createTarget(context, "new"), blueprint };
  assert.is(
    (await requireFinalError(createPvcsFromSnapshots(site, nextRun(), context.snapshots))).code,
    "BlueprintLacks",
  );
});

for (
  const [what, expected, pattern, prepareCase] of [
    ["the volume has no site", "NoSiteInSnapshot", /this volume contains no database/, useEmptyVolumes],
    ["the data has another PostgreSQL version", "OtherPostgres", /incompatible with server/, usePostgres18],
    [
      "the snapshot is larger than the PVC",
      "DiskTooSmall",
      /requested volume size \d+ is less than/,
      useSmallDisks,
    ],
    [
      "the storage class has another driver",
      "OtherDriver",
      /is not handled by CSI driver of StorageClass foreign/,
      useForeignStorageClass,
    ],
  ] as const
) {
  test(`reports that ${what} if the database does not start`, async (context) => {
    const [site, from] = await prepareCase(context), run = nextRun(30_000);
    await applySteps(site, run, "policies", "secrets");
    for (const secret of site.blueprint.newSecrets(site.inputs)) await site.space.create(secret, run);
    await createPvcsFromSnapshots(site, run, from);
    await applySteps(site, run, "database");
    const error = await requireFinalError(waitForWorkload(site as unknown as SpokeSite, run, DATABASE_STATEFULSET_REF));
    assert.is(error.code, expected, error.message);
    assert.match(error.message, pattern);
  });
}

/** Takes snapshots of two empty volumes. */
async function useEmptyVolumes(context: VolumeScene) {
  const { scene: { simulator, app }, source, snapshots } = context, url = simulator.url, namespace = source.namespace;
  const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const pvcSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const annotations = { "volume.kubernetes.io/selected-node": "127.0.0.1" };
  await postObject(url, path, { metadata: { name: "empty", annotations }, spec: pvcSpec });
  const space = (await app.clusters.open(source.cluster)).space(namespace, source.namespaceUid!);
  const snapshot = { apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot", name: "empty" };
  const spec = { volumeSnapshotClassName: "standard-retain", source: { persistentVolumeClaimName: "empty" } };
  const waitOptions = { ...nextRun(), timeout: 20_000 };
  await space.ready([{ apiVersion: "v1", kind: "PersistentVolumeClaim", name: "empty" }], waitOptions);
  const created = await space.create({ ...snapshot, metadata: { name: "empty" }, spec }, nextRun());
  await space.ready([snapshot], waitOptions);
  const handle = `snapshot-${created.metadata.uid}`;
  return [await createTarget(context, "new"), changeVolumes(snapshots, { handle, restoreSize: GI })] as const;
}

async function usePostgres18(context: VolumeScene) {
  const { images } = context.source.blueprintInputs;
  const changes = { images: { ...images, postgres: "postgres:18-alpine" } };
  return [await createTarget(context, "new", changes), context.snapshots] as const;
}

/** Omits the size from the snapshots, and requests smaller PVCs. */
async function useSmallDisks(context: VolumeScene) {
  const { resources } = context.source.blueprintInputs;
  const changes = { resources: { ...resources, disks: { files: "1Gi", database: "1Gi" } } };
  return [
    await createTarget(context, "new", changes),
    changeVolumes(context.snapshots, { restoreSize: null }),
  ] as const;
}

async function useForeignStorageClass(context: VolumeScene) {
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
  return [await createTarget(context, "new", changes), snapshots] as const;
}

test.run();

const backupTest = suite("readBackupSnapshots");
const volume = (claim: string, more = {}) => ({
  claim,
  snapshot: "s",
  handle: `of ${claim}`,
  driver: "d",
  class: "c",
  ...more,
});
const backup = (...volumes: ReturnType<typeof volume>[]) => ({ id: "bak_1", cluster: "default", volumes });

backupTest("finds the volumes of the database and the files by any PVC names", () => {
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

backupTest("refuses a backup without a volume or its handle", () => {
  for (
    const incomplete of [
      backup(volume("files")),
      backup(volume("files"), { claim: "data-db-0", snapshot: "s" } as never),
    ]
  ) {
    assert.throws(
      () => readBackupSnapshots(incomplete, { clusterUid: null }),
      /Backup bak_1 is incomplete: it has no snapshot of the database/,
    );
  }
});

backupTest.run();
