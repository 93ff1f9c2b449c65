/** Stores versions of a hub's courses. */
import { sql } from "kysely";
import { Fault } from "#lib/base/errors.ts";
import { createId } from "#lib/base/ids.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createCourseDeletion } from "#lib/domains/courses/library-jobs.ts";
import { requestLibraryCheck } from "#lib/domains/courses/library-store.ts";
import { lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import {
  type CourseVersion,
  type HubCourse,
  MAX_COURSE_VERSIONS,
  MAX_COURSES,
  type ParsedRelease,
} from "#lib/model/course.ts";

/** The maximum length of the hub's courses as JSON. The hub's record in the cluster contains them, and has 1 MiB at most. */
const MAX_LENGTH = 500_000;

export interface NewCourseVersion extends Omit<CourseVersion, "version" | "publishedAt" | "publishedBy"> {
  /** The course that gets the version; undefined for a new course. */
  readonly courseId: string | undefined;
}

/** Throws a `conflict` fault (`too_many_courses`) if the hub has no room for another course. */
export function requireRoomForCourse(courses: readonly HubCourse[]): void {
  if (courses.length < MAX_COURSES) return;
  const message = `The hub has ${MAX_COURSES} courses; publish a new version of one of them instead`;
  throw new Fault("conflict", "too_many_courses", message);
}

/**
 * Adds a version, unless the operation has already added it. Returns its course and number. If the course has too many
 * versions, the oldest one that neither the hub nor a spoke names is deleted. Throws a `conflict` fault
 * (`too_many_courses`), or a Refusal (`CourseUnpublished`) if the package was deleted in the meantime.
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
  await requirePackageKept(tx, federationId, added);
  const version: CourseVersion = {
    ...added,
    version: Math.max(old?.versions.at(-1)?.version ?? 0, old?.lastDeleted ?? 0) + 1,
    publishedAt: (await readDatabaseTime(tx)).toISOString(),
    publishedBy: requester.email,
  };
  if (!old) requireRoomForCourse(courses);
  const used = [...policy?.courses?.values.releases ?? [], ...await readReleasesOfSpokes(tx, federationId)];
  const all = [...old?.versions ?? [], version], versions = dropOldest(id, all, used);
  const course = { ...old, id, title: added.title, versions };
  const after = old ? courses.map((each) => each.id === id ? course : each) : [...courses, course];
  if (JSON.stringify(after).length > MAX_LENGTH) {
    throw new Fault(
      "conflict",
      "too_many_courses",
      "The hub's courses have too many versions and add-ons to store more",
    );
  }
  await updateFederation(tx, federationId, { courses: JSON.stringify(after) });
  await requestLibraryCheck(tx, federationId);
  await recordChange(tx, requester, {
    audit: [{
      kind: "federation_updated",
      ...buildHubSubject(federationId),
      metadata: { changed: { courses: { [id]: version.version } }, title: added.title, operationId: added.operationId },
    }],
    events: [{ federationId, state }],
    jobs: all.filter((each) => !versions.includes(each)).map(({ version: number, title, sha256, bytes }) =>
      createCourseDeletion(federationId, { course: id, version: number, title, sha256, bytes })
    ),
  });
  return { course: id, version: version.version };
}

/** Throws if an older version had the same package, and that package was deleted after the operation had stored it. */
async function requirePackageKept(
  tx: Tx,
  federationId: string,
  { sha256, operationId }: Pick<CourseVersion, "sha256" | "operationId">,
): Promise<void> {
  const deletion = await tx.selectFrom("jobs").select("id").where("kind", "=", "delete-course")
    .where("federationId", "=", federationId).where(sql<boolean>`payload ->> 'sha256' = ${sha256}`)
    .where(sql<boolean>`coalesce(finished_at, 'infinity') >= (
      select coalesce(started_at, created_at) from jobs as own where own.id = ${operationId})`)
    .executeTakeFirst();
  if (!deletion) return;
  const message = "The same package was deleted while the course was published";
  throw new Refusal("CourseUnpublished", message, "Publish the course again.", "user");
}

function findOperationVersion(courses: readonly HubCourse[], operationId: string): ParsedRelease | null {
  for (const { id, versions } of courses) {
    const found = versions.find((each) => each.operationId === operationId);
    if (found) return { course: id, version: found.version };
  }
  return null;
}

/** Returns the versions that sites of the hub have, and those that their admins have taken. */
async function readReleasesOfSpokes(tx: Tx, federationId: string): Promise<string[]> {
  const { rows } = await sql<{ release: string }>`
    select distinct jsonb_array_elements_text(named.releases) as release from spokes cross join lateral (values
      (blueprint_inputs #> '{shared,courses,values,releases}'), (policy #> '{overrides,courses,values,releases}')
    ) as named (releases) where federation_id = ${federationId} and state <> 'removed' and named.releases is not null`
    .execute(tx);
  return rows.map(({ release }) => release);
}

/** A site would close the course of a version that it names and the hub no longer has, so such versions are kept. */
function dropOldest(id: string, versions: readonly CourseVersion[], used: readonly string[]): CourseVersion[] {
  const unused = versions.slice(0, -1).findIndex(({ version }) => !used.includes(`${id}@${version}`));
  return versions.filter((_, index) => versions.length <= MAX_COURSE_VERSIONS || index !== unused);
}
