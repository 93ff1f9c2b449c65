/** Shows the library of a hub: the packages of its courses, the space that they use, and their backups. */
import type { App } from "#lib/app.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { createHubInputs } from "#lib/catalog/inputs.ts";
import { explainUnavailableBackups } from "#lib/domains/backups/snapshot-classes.ts";
import { readSnapshotClasses } from "#lib/domains/backups/store.ts";
import { getVolumeDrivers } from "#lib/domains/backups/summary.ts";
import {
  findLibrary,
  isUsableLibraryBackup,
  type LibraryBackup,
  type LibraryRow,
  listLibraryBackups,
} from "#lib/domains/courses/library-store.ts";
import type { LibraryRecord } from "#lib/domains/courses/views.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { Viewer } from "#lib/domains/federations/viewer.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { formatCourseRelease, type HubCourse } from "#lib/model/course.ts";
import { LIBRARY_PVC_NAME, listPackages } from "#lib/moodle/library-jobs.ts";

export async function showLibrary(
  app: Pick<App, "db" | "catalog" | "config" | "blueprint">,
  viewer: Pick<Viewer, "role">,
  hub: FederationRow,
): Promise<LibraryRecord> {
  const { rows } = app.db;
  const [library, backups, observed] = await Promise.all([
    findLibrary(rows, hub.id),
    listLibraryBackups(rows, hub.id),
    readSnapshotClasses(rows, hub.cluster),
  ]);
  const { id: federationId, namespace, slug, region, courses } = hub;
  const inputs = createHubInputs(app.catalog, app.config, { federationId, namespace, slug, region });
  const claim = app.blueprint.hubObjects(inputs, "library").find(({ kind, metadata }) =>
    kind === "PersistentVolumeClaim" && metadata.name === LIBRARY_PVC_NAME
  );
  const usable = backups.filter(isUsableLibraryBackup);
  const requirements = { name: inputs.surroundings.snapshotClass, drivers: getVolumeDrivers(usable[0]) };
  const problem = explainUnavailableBackups(observed, requirements);
  const packages = listPackages(courses);
  return {
    federationId,
    packages: packages.length,
    packageBytes: packages.reduce((sum, { bytes }) => sum + bytes, 0),
    usedBytes: library?.usedBytes ?? null,
    capacityBytes: claim ? parseQuantity(claim["spec"].resources.requests.storage) : null,
    checkedAt: library?.checkedAt ?? null,
    missing: listMissingReleases(courses ?? [], library),
    backupsAvailable: problem === null,
    backedUpAt: usable[0]?.createdAt ?? null,
    error: hideOperatorDetails(viewer, library?.error ?? problem),
    backups: usable.map(({ id, createdAt, sizeBytes, packages: { length } }) => ({
      ...{ id, createdAt, sizeBytes },
      packages: length,
    })),
  };
}

/** Returns the versions whose package the last check did not find. */
export function listMissingReleases(courses: readonly HubCourse[], library: LibraryRow | null): string[] {
  const checkedAt = library?.checkedAt ?? null;
  if (library === null || checkedAt === null) return [];
  return courses.flatMap(({ id, versions }) =>
    versions.filter(({ sha256, publishedAt }) =>
      new Date(publishedAt) < checkedAt && !library.packages.includes(sha256)
    )
      .map(({ version }) => formatCourseRelease({ course: id, version }))
  );
}

/** Returns when the package was last backed up; null if no backup contains it. */
export function findPackageBackup(backups: readonly LibraryBackup[], sha256: string): Date | null {
  return backups.find((each) => isUsableLibraryBackup(each) && each.packages.includes(sha256))?.createdAt ?? null;
}
