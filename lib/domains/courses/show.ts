/** Shows the courses of a hub. */
import type { CourseRecord } from "#lib/domains/courses/views.ts";
import { canManageHub, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { formatCourseRelease, parseCourseRelease } from "#lib/model/course.ts";

/**
 * Returns the hub's courses by title, each with its versions, newest first. An admin of a single spoke does not learn of
 * which other spoke a version comes, and who published it.
 */
export function listHubCourses(
  { id: hubId, courses, policy }: Pick<FederationRow, "id" | "courses" | "policy">,
  viewer: Viewer,
): CourseRecord[] {
  const isManager = canManageHub(viewer, hubId);
  const delivered = new Map(
    (policy?.courses?.values.releases ?? []).map(parseCourseRelease).map(({ course, version }) => [course, version]),
  );
  return (courses ?? []).map(({ id, title, versions }) => ({
    id,
    title,
    delivered: delivered.get(id) ?? null,
    versions: versions.toReversed().map((
      { operationId: _, moodle: __, spokeId, publishedAt, publishedBy, ...version },
    ) => ({
      ...version,
      spokeId: isManager ? spokeId : null,
      publishedBy: isManager ? publishedBy : null,
      release: formatCourseRelease({ course: id, version: version.version }),
      publishedAt: new Date(publishedAt),
    })),
  })).sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id));
}
