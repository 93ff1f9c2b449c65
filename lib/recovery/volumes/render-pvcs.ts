/** Renders the blueprint's PVCs. Enlarges PVCs that would be too small for the snapshots. */
import { buildSourceSnapshotName, setPvcSnapshotSource } from "#lib/moodle/origin.ts";
import { listStatefulSetPvcs } from "#lib/moodle/expected-objects.ts";
import { SPOKE_INSTALL_STEPS } from "#lib/moodle/blueprint-files.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { formatQuantity } from "#lib/moodle/quota.ts";
import { type DiskName, getLargerQuantity } from "#lib/moodle/resize.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { PVC } from "#lib/moodle/storage-objects.ts";
import type { JobContext } from "#lib/steps/site-jobs.ts";

export function renderPvcs(
  { blueprint, inputs }: JobContext,
  volumes: Readonly<Record<DiskName, { readonly restoreSize: number | null }>>,
): Readonly<Record<DiskName, KubeObject>> {
  const names = getSitePvcNames(inputs);
  const objects = SPOKE_INSTALL_STEPS.flatMap((step) => blueprint.spokeObjects(inputs, step));
  const database = objects.flatMap(listStatefulSetPvcs)
    .map((claim) => setPvcSnapshotSource(claim, buildSourceSnapshotName("database", inputs.origin!.adoptionId)));
  const renderPvc = (disk: DiskName): KubeObject => {
    const claim = [...objects, ...database].find(({ kind, metadata }) =>
      kind === PVC.kind && metadata.name === names[disk]
    )!;
    const { resources } = claim["spec"], minimum = formatQuantity("storage", volumes[disk].restoreSize ?? 0);
    const requests = { ...resources.requests, storage: getLargerQuantity(resources.requests.storage, minimum) };
    return { ...claim, spec: { ...claim["spec"], resources: { ...resources, requests } } };
  };
  return { files: renderPvc("files"), database: renderPvc("database") };
}
