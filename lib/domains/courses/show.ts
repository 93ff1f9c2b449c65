/** Shows the courses of a hub. */
import type { CourseRecord } from "#lib/domains/courses/views.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { formatCourseRelease, parseCourseRelease } from "#lib/model/course.ts";

/** Returns the hub's courses by title, each with its versions, newest first. */
export function listHubCourses({ courses, policy }: Pick<FederationRow, "courses" | "policy">): CourseRecord[] {
  const delivered = new Map(
    (policy?.courses?.values.releases ?? []).map(parseCourseRelease).map(({ course, version }) => [course, version]),
  );
  return (courses ?? []).map(({ id, title, versions }) => ({
    id,
    title,
    delivered: delivered.get(id) ?? null,
    versions: versions.toReversed().map(({ operationId: _, moodle: __, publishedAt, ...version }) => ({
      ...version,
      release: formatCourseRelease({ course: id, version: version.version }),
      publishedAt: new Date(publishedAt),
    })),
  })).sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id));
}
