/** Defines a site's base: the version, images and volumes that a restore replaces. */
import * as v from "valibot";
import { enlargeDisksToSnapshotSize } from "#lib/moodle/adoption.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeImages } from "#lib/moodle/releases.ts";
import { type DiskSizes, setDiskSizes } from "#lib/moodle/resize.ts";

export const SiteVersionAndVolumes = v.object({
  ...v.pick(SpokeInputs, ["version", "images", "claims", "origin"]).entries,
  disks: SpokeInputs.entries.resources.entries.disks,
});
export type SiteVersionAndVolumes = v.InferOutput<typeof SiteVersionAndVolumes>;

export function extractVersionAndVolumes(
  { version, images, claims, origin, resources }: SpokeInputs,
): SiteVersionAndVolumes {
  return { version, images, disks: resources.disks, ...(claims && { claims }), ...(origin && { origin }) };
}

/** Replaces the version, images and volumes. Drops the database disk's original size: the StatefulSet is recreated. */
export function replaceVersionAndVolumes(
  inputs: SpokeInputs,
  { version, images, claims, origin, disks }: SiteVersionAndVolumes,
): SpokeInputs {
  const { claims: _, origin: __, madeDatabaseDisk: ___, ...rest } = inputs;
  const replaced = { ...rest, version, images, ...(claims && { claims }), ...(origin && { origin }) };
  const { madeDatabaseDisk: ____, ...result } = setDiskSizes(replaced, disks);
  return result;
}

/** The values that were recorded with a backup. A value is null if it was not recorded. */
interface BackupFacts {
  readonly lmsVersion: string | null;
  readonly images: SpokeImages | null;
  /** The minimum sizes for restored volumes, in bytes; null if the storage driver does not report a size. */
  readonly minimumSizes: Readonly<Record<keyof DiskSizes, number | null>>;
}

/** Returns the version, images and volumes for restoring a site from a backup. Keeps the current PostgreSQL image. */
export function buildVersionAndVolumesFromBackup(
  inputs: SpokeInputs,
  { lmsVersion, images, minimumSizes }: BackupFacts,
  adoptionId: string,
): SiteVersionAndVolumes {
  const { postgres } = inputs.images;
  return {
    version: lmsVersion ?? inputs.version,
    images: { ...images ?? inputs.images, postgres },
    claims: { files: `files-${adoptionId}`, data: `data-${adoptionId}` },
    origin: { adoptionId: adoptionId, identity: "same" },
    disks: enlargeDisksToSnapshotSize(inputs, minimumSizes).resources.disks,
  };
}
