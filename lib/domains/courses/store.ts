/** Stores versions of a hub's courses. */
import { createId } from "#lib/base/ids.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { type CourseVersion, type HubCourse, MAX_COURSE_VERSIONS, type ParsedRelease } from "#lib/model/course.ts";

export interface NewCourseVersion extends Omit<CourseVersion, "version" | "publishedAt" | "publishedBy"> {
  /** The course that gets the version; undefined for a new course. */
  readonly courseId: string | undefined;
}

/**
 * Adds a version, unless the operation has already added it. Returns its course and number. If the course has too many
 * versions, the oldest one that the hub does not deliver is no longer offered; its package stays in the library.
 */
export async function storeCourseVersion(
  tx: Tx,
  requester: Requester,
  federationId: string,
  { courseId, ...added }: NewCourseVersion,
): Promise<ParsedRelease> {
  const { courses: before, policy, state } = await lockFederation(tx, federationId), courses = before ?? [];
  const stored = findOperationVersion(courses, added.operationId);
  if (stored) return stored;
  const old = courses.find(({ id }) => id === courseId), id = old?.id ?? courseId ?? createId("crs");
  const version: CourseVersion = {
    ...added,
    version: (old?.versions.at(-1)?.version ?? 0) + 1,
    publishedAt: (await readDatabaseTime(tx)).toISOString(),
    publishedBy: requester.email,
  };
  const delivered = policy?.courses?.values.releases ?? [];
  const course = { id, title: added.title, versions: dropOldest(id, [...old?.versions ?? [], version], delivered) };
  const after = old ? courses.map((each) => each.id === id ? course : each) : [...courses, course];
  await updateFederation(tx, federationId, { courses: JSON.stringify(after) });
  await recordChange(tx, requester, {
    audit: [{
      kind: "federation_updated",
      ...buildHubSubject(federationId),
      metadata: { changed: { courses: { [id]: version.version } }, title: added.title, operationId: added.operationId },
    }],
    events: [{ federationId, state }],
  });
  return { course: id, version: version.version };
}

function findOperationVersion(courses: readonly HubCourse[], operationId: string): ParsedRelease | null {
  for (const { id, versions } of courses) {
    const found = versions.find((each) => each.operationId === operationId);
    if (found) return { course: id, version: found.version };
  }
  return null;
}

function dropOldest(id: string, versions: readonly CourseVersion[], delivered: readonly string[]): CourseVersion[] {
  const unused = versions.findIndex(({ version }) => !delivered.includes(`${id}@${version}`));
  return versions.filter((_, index) => versions.length <= MAX_COURSE_VERSIONS || index !== unused);
}
