/**
 * A template: a pristine installation that new sites are made from, in place of one of their own. Pure.
 *
 * It is of nobody: no name, address, look or course of a spoke is in it, for all of that comes with the settings and the seed
 * of the site that is made from it. Its disks are the smallest that any size has: a volume from a snapshot can be larger than
 * that, and never smaller.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { type Disk, DISKS, type Disks } from "#lib/moodle/resize.ts";
import { type SandboxInputs, sandboxInputs } from "#lib/moodle/sandbox.ts";
import type { Size } from "#lib/moodle/sizes.ts";

/** What tells templates apart: a site is made from one that was made as it would be, where it would be. */
export interface TemplateKey {
  readonly cluster: string;
  readonly clusterUid: string;
  readonly version: string;
  readonly moodleImage: string;
  readonly postgresImage: string;
  readonly revision: string;
  readonly storageClass: string;
}

interface Where {
  readonly cluster: string;
  /** Null where the cluster's identity cannot be told. */
  readonly clusterUid: string | null;
}

/** `revision` is the blueprint's. */
export function templateKey({ cluster, clusterUid }: Where, inputs: SpokeInputs, revision: string): TemplateKey {
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
const HOST = `${SLUG}.invalid`; // nobody's, by RFC 2606

interface NewTemplate {
  readonly id: string;
  /** The sizes on offer. */
  readonly sizes: readonly Size[];
  /** RELEASE_ID. */
  readonly release: string;
}

/** Returns the inputs that a template for such a spoke is installed with. */
export function templateInputs(spoke: SpokeInputs, { id, sizes, release }: NewTemplate): SandboxInputs {
  const smallest = sizes.toSorted((a, b) => roomOf(a) - roomOf(b))[0]!;
  const disks = sizes.map((size) => size.disks).reduce(smaller);
  const { version, images, surroundings, https } = spoke;
  const inputs: SpokeInputs = {
    ...{ federationId: id, spokeId: id, namespace: SLUG, slug: SLUG, displayName: "Template", host: HOST },
    ...{ adminEmail: `nobody@${HOST}`, version, images, surroundings, https },
    ...{ size: "smallest", resources: { ...smallest, disks } },
    ...{ identity: false, content: false, contentMode: null, brand: null, seed: null, issuer: null, mail: null },
  };
  return sandboxInputs(inputs, { id, madeAfter: null, web: true }, release);
}

/** Whether the site's disks hold what the snapshots do, of which this many bytes are known to be needed. */
export function hasRoomFor({ resources }: SpokeInputs, sizes: Readonly<Record<Disk, number | null>>): boolean {
  return DISKS.every((disk) => parseQuantity(resources.disks[disk]) >= (sizes[disk] ?? 0));
}

function roomOf({ disks }: Size): number {
  return parseQuantity(disks.files) + parseQuantity(disks.database);
}

function smaller(one: Disks, other: Disks): Disks {
  const least = (disk: Disk) => parseQuantity(other[disk]) < parseQuantity(one[disk]) ? other[disk] : one[disk];
  return { files: least("files"), database: least("database") };
}
