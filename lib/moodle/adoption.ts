/** Pure functions that compute inputs, and check the blueprint, for sites that are created from volume snapshots. */
import { isDeepStrictEqual } from "node:util";
import { BLUEPRINT_JOBS, SPOKE_INSTALL_STEPS } from "#lib/moodle/blueprint-files.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { DATABASE_STATEFULSET_REF, getSitePvcNames, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { formatQuantity } from "#lib/moodle/quota.ts";
import { type DiskName, getLargerQuantity, setDiskSizes } from "#lib/moodle/resize.ts";
import type { KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";

/** Enlarges disks in the inputs to hold the snapshots. `sizes` are minimum disk sizes in bytes; null if unknown. */
export function enlargeDisksToSnapshotSize(
  inputs: SpokeInputs,
  sizes: Readonly<Record<DiskName, number | null>>,
): SpokeInputs {
  const { files, database } = inputs.resources.disks;
  const atLeast = (disk: string, bytes: number | null) =>
    getLargerQuantity(disk, formatQuantity("storage", bytes ?? 0));
  // Omits the database disk's original size, because the StatefulSet is recreated with the current size.
  const { madeDatabaseDisk: _, ...enlarged } = setDiskSizes(inputs, {
    files: atLeast(files, sizes.files),
    database: atLeast(database, sizes.database),
  });
  return enlarged;
}

/** Returns the reason why this blueprint cannot create a site from snapshots; null if the blueprint is suitable. */
export function findSnapshotBlueprintProblem(
  blueprint: Pick<Blueprint, "spokeObjects" | "jobObject">,
  inputs: SpokeInputs,
): string | null {
  const { origin: _, ...installed } = inputs;
  const render = (source: SpokeInputs) => SPOKE_INSTALL_STEPS.flatMap((step) => blueprint.spokeObjects(source, step));
  const objects = render(inputs), installedObjects = render(installed);
  const isRef = ({ kind, name }: ObjectRef) => (object: KubeObject) =>
    object.kind === kind && object.metadata.name === name;
  for (
    const [ref, placeholder] of [[DATABASE_STATEFULSET_REF, "ADOPT_DATABASE"], [
      MOODLE_DEPLOYMENT_REF,
      "ADOPT_FILES",
    ]] as const
  ) {
    if (!isDeepStrictEqual(objects.find(isRef(ref)), installedObjects.find(isRef(ref)))) continue;
    return `the ${ref.kind} ${ref.name} of the blueprint lacks the container \${${placeholder}}, which adopts the data`;
  }
  const actualNames = Object.values(getSitePvcNames(inputs)), defaultNames = Object.values(getSitePvcNames({}));
  const jobs = BLUEPRINT_JOBS.map((job) => blueprint.jobObject(inputs, job, "0"));
  for (const object of [...objects, ...jobs]) {
    const hardCoded = pvcNamesIn(object).find((claim) => defaultNames.includes(claim) && !actualNames.includes(claim));
    if (hardCoded === undefined) continue;
    const title = `${object.kind} ${object.metadata.name.replace(/-0$/, "")}`;
    return `the ${title} of the blueprint contains the PVC name ${hardCoded}; use \${FILES_CLAIM} or ` +
      "${DATA_CLAIM_TEMPLATE} instead";
  }
  return null;
}

function pvcNamesIn({ kind, metadata, spec }: KubeObject): string[] {
  const pod = (spec?.jobTemplate?.spec ?? spec)?.template?.spec;
  return [
    ...(kind === "PersistentVolumeClaim" ? [metadata.name] : []),
    ...(spec?.volumeClaimTemplates ?? []).map((claim: KubeObject) => `${claim.metadata.name}-${metadata.name}-0`),
    ...(pod?.volumes ?? []).flatMap((volume: KubeObject) => volume["persistentVolumeClaim"]?.claimName ?? []),
  ];
}
