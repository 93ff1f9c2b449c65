/**
 * Selects the snapshot class for a spoke's volumes. The class must have the deletion policy Retain, because otherwise
 * the snapshots would be deleted with the namespace. It must also belong to the volumes' storage driver.
 */
export interface SnapshotClass {
  readonly name: string;
  readonly driver: string;
}

interface ClassRequirements {
  /** The class name from the cluster settings. Undefined if any class may be used. */
  readonly name: string | undefined;
  /** The storage drivers that the spoke's volumes are known to use. */
  readonly drivers: readonly string[];
}

export interface ObservedSnapshotClasses {
  /** Snapshot classes with the deletion policy Retain. Null if the cluster has not been checked yet. */
  readonly classes: readonly SnapshotClass[] | null;
  /** Why the last check failed. Null if it succeeded. */
  readonly error: string | null;
}

export function findFittingClass(
  classes: readonly SnapshotClass[],
  { name, drivers }: ClassRequirements,
): string | null {
  const found = classes.find((each) =>
    (name === undefined || each.name === name) && drivers.every((driver) => driver === each.driver)
  );
  return found?.name ?? null;
}

/** Returns why no snapshot class fits, worded so that it can follow "because". */
export function describeMissingClass({ name }: ClassRequirements): string {
  const description = name === undefined ? "no snapshot class" : `no snapshot class ${name}`;
  return `the cluster has ${description} with the deletion policy Retain for these volumes`;
}

/** Returns why backups are unavailable. Null if they are available. */
export function explainUnavailableBackups(
  { classes, error }: ObservedSnapshotClasses,
  requirements: ClassRequirements,
): string | null {
  if (classes) {
    return findFittingClass(classes, requirements) === null
      ? `No backups: ${describeMissingClass(requirements)}`
      : null;
  }
  if (error !== null) return `Cannot check yet whether the cluster can take backups: ${error}`;
  return "Checking whether the cluster can take backups; this takes a few minutes";
}
