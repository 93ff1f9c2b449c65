/**
 * Volumes that are made from snapshots: a site's claims, before anything else of it is there.
 *
 * What a backup keeps is the storage driver's own handle, for its VolumeSnapshots go with their namespace. So each volume gets
 * a pair of its own: a content that names the handle, and a VolumeSnapshot in the site's namespace that is bound to it.
 * Both are named after the adoption, so that there are never two; the content retains, and when the pair has served and
 * goes, what is in the storage stays the backup's.
 */
import type { Cluster } from "#lib/drivers/cluster/cluster.ts";
import type { Disk } from "#lib/moodle/origin.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { JobPlace } from "#lib/work/jobs.ts";

/** Where a site's volumes are: of a spoke, or of a site that is nobody's. Its inputs have the origin. */
export interface VolumePlace extends JobPlace {
  readonly cluster: Cluster;
}

/** What the storage knows a snapshot by. */
export interface SnapshotVolume {
  readonly handle: string;
  readonly driver: string;
  readonly class: string;
  /** Bytes that a volume from it needs at least; null where the driver does not say. */
  readonly restoreSize: number | null;
}

/** A pair of snapshots that a site can be made from, and where they are. */
export interface Snapshots {
  readonly cluster: string;
  /** The cluster's identity, where it is known. */
  readonly clusterUid: string | null;
  readonly volumes: Readonly<Record<Disk, SnapshotVolume>>;
}

/**
 * Makes the claims of the inputs from the snapshots; called again, by whichever holder, it goes on. A claim may stay Pending
 * until the first pod that uses it. Throws a final ClusterError where it cannot be.
 */
export async function claimsFrom(_place: VolumePlace, _run: Run, _from: Snapshots): Promise<void> {
  throw new Error("not made yet");
}

/** Waits until the claims are bound, and takes away what they were made by; nothing where that has been done. */
export async function tidy(_place: VolumePlace, _run: Run): Promise<void> {
  throw new Error("not made yet");
}
