/**
 * Selects the snapshot class for a spoke's volumes. Pure.
 *
 * The class must have the deletion policy Retain, because otherwise the snapshots are deleted with the namespace. The
 * class must also belong to the driver of the volumes.
 */
export interface SnapshotClass {
  readonly name: string;
  readonly driver: string;
}

interface ClassRequirements {
  /** The class named in the cluster settings; undefined for any. */
  readonly name: string | undefined;
  /** The known drivers of the volumes. */
  readonly drivers: readonly string[];
}

export interface ObservedSnapshotClasses {
  /** Classes with the deletion policy Retain; null if the cluster has not been checked yet. */
  readonly classes: readonly SnapshotClass[] | null;
  /** Error of the last check; null if it succeeded. */
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

/** Returns the reason why no class fits, as a clause to follow "because". */
export function describeMissingClass({ name }: ClassRequirements): string {
  const description = name === undefined ? "no snapshot class" : `no snapshot class ${name}`;
  return `the cluster has ${description} with the deletion policy Retain for these volumes`;
}

/** Returns why backups are not available; null if they are. */
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
