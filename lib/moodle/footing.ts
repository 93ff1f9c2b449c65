/** What a site stands on: its volumes, and the version that its data is of. A restore puts it onto another. Pure. */
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

/** The same spoke on this footing. Its StatefulSet is made anew, with the disk that there is. */
export function onFooting(inputs: SpokeInputs, { version, images, claims, origin, disks }: Footing): SpokeInputs {
  const { claims: _, origin: __, madeDatabaseDisk: ___, ...rest } = inputs;
  const stood = { ...rest, version, images, ...(claims && { claims }), ...(origin && { origin }) };
  const { madeDatabaseDisk: ____, ...standing } = withDisks(stood, disks);
  return standing;
}

/** What a backup is of; null where that was not noted. */
interface Taken {
  readonly lmsVersion: string | null;
  readonly images: SpokeImages | null;
  /** Bytes that its volumes need at least; null where the driver does not say. */
  readonly least: Readonly<Record<keyof Disks, number | null>>;
}

/**
 * The one that a backup becomes beside what there is. Its data needs its own version, whichever the spoke has by now; the
 * server of the database stays the spoke's, which is of the same major version.
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
