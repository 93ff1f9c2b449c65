/**
 * With which snapshot class a spoke's volumes can be backed up, of those that were seen in its cluster. Pure.
 *
 * Only a class that retains is of use: what another one takes goes with the namespace. And it has to be of
 * the driver that made the volumes.
 */
export interface SnapshotClass {
  readonly name: string;
  readonly driver: string;
}

interface ClassRequirements {
  /** That the surroundings name; undefined for any. */
  readonly name: string | undefined;
  /** That made the volumes, as far as that is known. */
  readonly drivers: readonly string[];
}

export interface ObservedClasses {
  /** Those that retain; null where nobody has looked yet. */
  readonly classes: readonly SnapshotClass[] | null;
  /** Why the last look failed; null if it did not. */
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

/** Why no class fits, to stand behind "because". */
export function describeMissingClass({ name }: ClassRequirements): string {
  const description = name === undefined ? "no snapshot class" : `no snapshot class ${name}`;
  return `the cluster has ${description} with the deletion policy Retain for these volumes`;
}

/** Why backups cannot be taken, as far as is known; null if they can. */
export function explainUnavailable(
  { classes, error }: ObservedClasses,
  requirements: ClassRequirements,
): string | null {
  if (classes) {
    return findFittingClass(classes, requirements) === null
      ? `No backups: ${describeMissingClass(requirements)}`
      : null;
  }
  if (error !== null) return `Cannot check yet whether the cluster can take backups: ${error}`;
  return "Not checked yet whether the cluster can take backups; this takes a few minutes";
}
