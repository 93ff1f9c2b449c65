/**
 * Selects the VolumeSnapshotClass for a spoke's volumes. The class must have the deletion policy Retain; otherwise,
 * snapshots would be deleted with the namespace. The class must also use the storage driver of the volumes.
 */
export interface SnapshotClass {
  readonly name: string;
  readonly driver: string;
}

interface ClassRequirements {
  /** The name of the required snapshot class, from the cluster settings. Undefined if any class may be used. */
  readonly name: string | undefined;
  /** The storage drivers of the spoke's volumes, as far as known. */
  readonly drivers: readonly string[];
}

export interface ObservedSnapshotClasses {
  /** Snapshot classes with the deletion policy Retain. Null if the cluster has not been checked yet. */
  readonly classes: readonly SnapshotClass[] | null;
  /** Why the last check of the cluster's snapshot classes failed. Null if the check succeeded. */
  readonly error: string | null;
}

export function selectSnapshotClass(
  classes: readonly SnapshotClass[],
  { name, drivers }: ClassRequirements,
): string | null {
  const found = classes.find((each) =>
    (name === undefined || each.name === name) && drivers.every((driver) => driver === each.driver)
  );
  return found?.name ?? null;
}

/** Returns why no snapshot class fits, as a clause for the middle of a sentence. */
export function describeMissingSnapshotClass({ name }: ClassRequirements): string {
  const description = name === undefined ? "no snapshot class" : `no snapshot class ${name}`;
  return `the cluster has ${description} with the deletion policy Retain for these volumes`;
}

/** Returns why the cluster cannot take backups, or null if backups are available. */
export function explainUnavailableBackups(
  { classes, error }: ObservedSnapshotClasses,
  requirements: ClassRequirements,
): string | null {
  if (classes) {
    return selectSnapshotClass(classes, requirements) === null
      ? `No backups: ${describeMissingSnapshotClass(requirements)}`
      : null;
  }
  if (error !== null) return `Cannot check yet whether the cluster can take backups: ${error}`;
  return "Checking whether the cluster can take backups; this takes a few minutes";
}
