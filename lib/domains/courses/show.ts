/** Shows the courses of a hub. */
import type { CourseRecord } from "#lib/domains/courses/views.ts";
import { findPackageBackup, listMissingReleases } from "#lib/domains/courses/library.ts";
import { findLibrary, listLibraryBackups } from "#lib/domains/courses/library-store.ts";
import { canManageHub, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { formatCourseRelease, parseCourseRelease } from "#lib/model/course.ts";

/**
 * Returns the hub's courses by title, each with its versions, newest first. An admin of a single spoke does not learn of
 * which other spoke a version comes, and who published it.
 */
export async function listHubCourses(
  rows: RowQueries,
  { id: hubId, courses, policy }: Pick<FederationRow, "id" | "courses" | "policy">,
  viewer: Viewer,
): Promise<CourseRecord[]> {
  const isManager = canManageHub(viewer, hubId);
  const [library, backups] = await Promise.all([findLibrary(rows, hubId), listLibraryBackups(rows, hubId)]);
  const missing = listMissingReleases(courses ?? [], library);
  const delivered = new Map(
    (policy?.courses?.values.releases ?? []).map(parseCourseRelease).map(({ course, version }) => [course, version]),
  );
  return (courses ?? []).map(({ id, title, versions }) => ({
    id,
    title,
    delivered: delivered.get(id) ?? null,
    versions: versions.toReversed().map((
      { operationId: _, moodle: __, spokeId, publishedAt, publishedBy, ...version },
    ) => {
      const release = formatCourseRelease({ course: id, version: version.version });
      return {
        ...version,
        spokeId: isManager ? spokeId : null,
        publishedBy: isManager ? publishedBy : null,
        release,
        publishedAt: new Date(publishedAt),
        backedUpAt: findPackageBackup(backups, version.sha256),
        isMissing: missing.includes(release),
      };
    }),
  })).sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id));
}
