/** Creates and deletes the temporary volume from which packages are restored to a hub's library. */
import { toObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import { LIBRARY_PVC_NAME } from "#lib/moodle/library-jobs.ts";
import { setPvcSnapshotSource } from "#lib/moodle/origin.ts";
import { formatQuantity } from "#lib/moodle/quota.ts";
import { getLargerQuantity } from "#lib/moodle/resize.ts";
import { PVC, SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { createWithFence } from "#lib/steps/fenced-objects.ts";
import { buildClusterWaitOptions, type HubSite } from "#lib/steps/site.ts";
import { readRetainingSnapshotClasses } from "#lib/steps/snapshot-classes.ts";
import {
  buildSourceContentName,
  chooseSnapshotClass,
  createSnapshotSource,
} from "#lib/recovery/volumes/snapshot-source.ts";

const CLAIM_PREFIX = "library-restore-", SOURCE_PREFIX = "origin-library-";

/** Returns the name of the temporary PVC. The adoption ID makes it unique. */
export function buildLibraryClaimName(adoptionId: string): string {
  return `${CLAIM_PREFIX}${adoptionId}`;
}

interface ClaimSource {
  readonly adoptionId: string;
  readonly snapshot: BackupVolume;
}

/** Creates the PVC from the snapshot. It stays Pending until a pod first uses it. Can be repeated. */
export async function createLibraryClaim(
  site: HubSite,
  run: JobRun,
  { adoptionId, snapshot: { handle = "", driver = "", class: className = "", restoreSize } }: ClaimSource,
): Promise<void> {
  const { cluster, space, blueprint, inputs } = site, source = `${SOURCE_PREFIX}${adoptionId}`;
  const owner = { federationId: inputs.federationId, spokeId: null };
  const classes = await readRetainingSnapshotClasses(cluster, run);
  const snapshot = { handle, driver, class: chooseSnapshotClass(classes, { driver, class: className }) };
  await createSnapshotSource(site, run, { name: source, owner, snapshot });
  await space.ready([{ ...VOLUME_SNAPSHOT, name: source }], buildClusterWaitOptions(run));
  const own = blueprint.hubObjects(inputs, "library").find(({ kind, metadata }) =>
    kind === PVC.kind && metadata.name === LIBRARY_PVC_NAME
  )!;
  const { resources } = own["spec"], minimum = formatQuantity("storage", restoreSize ?? 0);
  const requests = { storage: getLargerQuantity(resources.requests.storage, minimum) };
  const claim = {
    ...own,
    metadata: { ...own.metadata, name: buildLibraryClaimName(adoptionId) },
    spec: { ...own["spec"], resources: { requests } },
  };
  await createWithFence(space, setPvcSnapshotSource(claim, source), run.job, run);
}

/** Deletes all temporary PVCs in the hub's namespace, and the snapshot objects from which they were created. */
export async function deleteLibraryClaims(site: HubSite, run: JobRun): Promise<void> {
  const { space } = site,
    all = await Promise.all([
      space.list(PVC, "", run),
      space.list(VOLUME_SNAPSHOT, "", run),
    ]);
  const [claims, sources] = all.map((objects, index) =>
    objects.filter(({ metadata: { name } }) => name.startsWith([CLAIM_PREFIX, SOURCE_PREFIX][index]!))
  );
  for (const object of [...claims!, ...sources!]) await space.delete(toObjectRef(object), object.metadata.uid!, run);
  await space.gone(claims!.map(toObjectRef), buildClusterWaitOptions(run));
  await space.gone(sources!.map(toObjectRef), buildClusterWaitOptions(run));
  await deleteLibrarySources(site, run, sources!.map(({ metadata: { name } }) => name.slice(SOURCE_PREFIX.length)));
}

/** Deletes the VolumeSnapshotContents, which are in no namespace. The data in the storage remains. */
export async function deleteLibrarySources(
  { cluster, holding: { namespace } }: Pick<HubSite, "cluster" | "holding">,
  run: JobRun,
  adoptionIds: readonly string[],
): Promise<void> {
  for (const adoptionId of adoptionIds) {
    const name = buildSourceContentName(namespace, `${SOURCE_PREFIX}${adoptionId}`),
      ref = { ...SNAPSHOT_CONTENT, name };
    const content = await cluster.find(ref, run);
    if (content) await cluster.deleteGlobal(ref, content.metadata.uid!, run);
  }
}
