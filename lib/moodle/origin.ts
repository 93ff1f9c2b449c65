/** Adds the containers in adopt.yaml, which adapt copied data, to a site's pods. Fills its PVCs from snapshots. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { fillPlaceholders, type ManifestTemplate, type PlaceholderValues } from "#lib/moodle/render.ts";
import type { DiskName } from "#lib/moodle/resize.ts";
import type { ADOPTION_CONTAINER_PLACEHOLDERS } from "#lib/moodle/values.ts";

/** Returns the name of the VolumeSnapshot from which a disk is created. The adoption ID makes this name unique. */
export function buildSourceSnapshotName(disk: DiskName, adoptionId: string): string {
  return `origin-${disk}-${adoptionId}`;
}

export function buildAdoptionContainers(
  templates: readonly ManifestTemplate[],
  values: PlaceholderValues,
  { origin }: SpokeInputs,
): Record<(typeof ADOPTION_CONTAINER_PLACEHOLDERS)[number], unknown> {
  if (!origin) return { ADOPT_DATABASE: null, ADOPT_FILES: null };
  const own = { ...values, ADOPTION_ID: origin.adoptionId, IDENTITY: origin.identity };
  const filled = templates.map((template) => fillPlaceholders(template, own) as KubeObject);
  const containerOf = (name: string): unknown =>
    filled.find(({ metadata }) => metadata.name === name)!["template"].spec.containers[0];
  return { ADOPT_DATABASE: containerOf("adopt-database"), ADOPT_FILES: containerOf("adopt-files") };
}

/** Makes the snapshot the data source of the PVC for files. Returns all other objects unchanged. */
export function addFilesSnapshotSource(object: KubeObject, inputs: SpokeInputs): KubeObject {
  const { origin } = inputs;
  if (!origin || object.kind !== "PersistentVolumeClaim" || object.metadata.name !== getSitePvcNames(inputs).files) {
    return object;
  }
  return setPvcSnapshotSource(object, buildSourceSnapshotName("files", origin.adoptionId));
}

export function setPvcSnapshotSource(claim: KubeObject, name: string): KubeObject {
  const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name };
  return { ...claim, spec: { ...claim["spec"], dataSource } };
}
