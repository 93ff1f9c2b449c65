/** Defines the base of a site: its volumes and version, which a restore replaces. Pure. */
import { withRoomFor } from "#lib/moodle/adoption.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeImages } from "#lib/moodle/releases.ts";
import { type Disks, withDisks } from "#lib/moodle/resize.ts";

export interface Footing extends Pick<SpokeInputs, "version" | "claims" | "origin"> {
  readonly images: SpokeImages;
  readonly disks: Disks;
}

export function footingOf({ version, images, claims, origin, resources }: SpokeInputs): Footing {
  return { version, images, disks: resources.disks, ...(claims && { claims }), ...(origin && { origin }) };
}

/** Returns the spoke's inputs with this base. The StatefulSet is recreated with the current disk size. */
export function onFooting(inputs: SpokeInputs, { version, images, claims, origin, disks }: Footing): SpokeInputs {
  const { claims: _, origin: __, madeDatabaseDisk: ___, ...rest } = inputs;
  const stood = { ...rest, version, images, ...(claims && { claims }), ...(origin && { origin }) };
  const { madeDatabaseDisk: ____, ...standing } = withDisks(stood, disks);
  return standing;
}

/** Facts about a backup; null if they were not recorded. */
interface Taken {
  readonly lmsVersion: string | null;
  readonly images: SpokeImages | null;
  /** The minimum sizes of the backup's volumes in bytes; null if the storage driver does not report it. */
  readonly least: Readonly<Record<keyof Disks, number | null>>;
}

/**
 * Returns the base that a restore of this backup creates. The data keeps the backup's Moodle version. The PostgreSQL
 * image stays that of the spoke, because its major version is the same.
 */
export function footingFrom(inputs: SpokeInputs, { lmsVersion, images, least }: Taken, turn: string): Footing {
  const { postgres } = inputs.images;
  return {
    version: lmsVersion ?? inputs.version,
    images: { ...images ?? inputs.images, postgres },
    claims: { files: `files-${turn}`, data: `data-${turn}` },
    origin: { turn, identity: "same" },
    disks: withRoomFor(inputs, least).resources.disks,
  };
}
