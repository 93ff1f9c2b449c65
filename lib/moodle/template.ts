/**
 * Pure functions that compute the inputs for a template: a clean installation from which new sites are created. A
 * template has the smallest disks of all sizes, because a site's volume cannot be smaller than its snapshot.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { DISK_NAMES, type DiskName, type DiskSizes } from "#lib/moodle/resize.ts";
import { buildSandboxInputs, type SandboxInputs } from "#lib/moodle/sandbox.ts";
import type { SiteSize } from "#lib/moodle/sizes.ts";

/** The properties that a template must share with a site so that the site can be created from the template. */
export interface TemplateKey {
  readonly cluster: string;
  readonly clusterUid: string;
  readonly version: string;
  readonly moodleImage: string;
  readonly postgresImage: string;
  readonly revision: string;
  readonly storageClass: string;
}

interface TemplateCluster {
  readonly cluster: string;
  /** The cluster's UID; null if unknown. */
  readonly clusterUid: string | null;
}

/** Returns the key that a template for this site must have. `revision` is the revision of the blueprint. */
export function buildTemplateKey(
  { cluster, clusterUid }: TemplateCluster,
  inputs: SpokeInputs,
  revision: string,
): TemplateKey {
  const { version, images, surroundings } = inputs;
  return {
    cluster,
    clusterUid: clusterUid ?? "",
    version,
    moodleImage: images.moodle,
    postgresImage: images.postgres,
    revision,
    storageClass: surroundings.storageClass ?? "",
  };
}

const SLUG = "template";
const TEMPLATE_HOST = `${SLUG}.invalid`; // reserved by RFC 2606

interface NewTemplate {
  readonly id: string;
  readonly sizes: readonly SiteSize[];
  /** The RELEASE_ID setting, which identifies this installation of Wheelwright. */
  readonly release: string;
}

/** Returns the inputs for a new template from which sites like this one can be created. */
export function buildTemplateInputs(spoke: SpokeInputs, { id, sizes, release }: NewTemplate): SandboxInputs {
  const smallest = sizes.toSorted((a, b) => totalDiskBytes(a) - totalDiskBytes(b))[0]!;
  const disks = sizes.map((size) => size.disks).reduce(smallerDisks);
  const { version, images, surroundings, https } = spoke;
  const inputs: SpokeInputs = {
    ...{ federationId: id, spokeId: id, namespace: SLUG, slug: SLUG, displayName: "Template", host: TEMPLATE_HOST },
    ...{ adminEmail: `nobody@${TEMPLATE_HOST}`, version, images, surroundings, https },
    ...{ size: "smallest", resources: { ...smallest, disks } },
    ...{ identity: false, content: false, contentMode: null, brand: null, seed: null, issuer: null, mail: null },
  };
  return buildSandboxInputs(inputs, { id, madeAfter: null, web: true }, release);
}

/** Returns whether the site's disks can hold the snapshots. `sizes` are snapshot sizes in bytes; null if unknown. */
export function canDisksHoldSnapshots(
  { resources }: SpokeInputs,
  sizes: Readonly<Record<DiskName, number | null>>,
): boolean {
  return DISK_NAMES.every((disk) => parseQuantity(resources.disks[disk]) >= (sizes[disk] ?? 0));
}

function totalDiskBytes({ disks }: SiteSize): number {
  return parseQuantity(disks.files) + parseQuantity(disks.database);
}

function smallerDisks(one: DiskSizes, other: DiskSizes): DiskSizes {
  const smallerSize = (disk: DiskName) =>
    parseQuantity(other[disk]) < parseQuantity(one[disk]) ? other[disk] : one[disk];
  return { files: smallerSize("files"), database: smallerSize("database") };
}
