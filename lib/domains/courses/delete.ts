/** Deletes versions of a hub's courses. An operation deletes the packages. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import { Fault } from "#lib/base/errors.ts";
import { DAY } from "#lib/base/time.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createCourseDeletion } from "#lib/domains/courses/library-jobs.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { showOperation } from "#lib/domains/operations/show.ts";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import type { OperationDetail } from "#lib/jobs/operation.ts";
import { type CourseVersion, formatCourseRelease, type HubCourse, type ParsedRelease } from "#lib/model/course.ts";

/** How long a version is kept after the hub stopped giving it to its spokes, in days, so that the hub can go back to it. */
export const COURSE_ROLLBACK_DAYS = 7;
/** The maximum number of spokes that a message names. */
const MAX_NAMES = 3;

/**
 * Deletes a version from the hub's courses, and enqueues the operation that deletes its package. A course without
 * versions is deleted too. Throws a fault: `missing` (`course_version_missing`) or `conflict` (`federation_state` or
 * `course_version_in_use`).
 */
export async function deleteCourseVersion(
  app: App,
  actor: Actor,
  { id: federationId }: FederationRow,
  release: ParsedRelease,
): Promise<OperationDetail> {
  return await app.db.transact(async (tx) => {
    const hub = await lockFederation(tx, federationId), courses = hub.courses ?? [];
    requireLiveHub(hub.state, "delete a course version of");
    const course = courses.find(({ id }) => id === release.course);
    const version = course?.versions.find((each) => each.version === release.version);
    if (!course || !version) {
      throw new Fault("missing", "course_version_missing", "The hub has no such version of a course");
    }
    await requireUnusedVersion(tx, hub, formatCourseRelease(release));
    await updateFederation(tx, federationId, { courses: JSON.stringify(removeVersion(courses, course, version)) });
    const { title, sha256, bytes } = version;
    const job = await recordOperation(
      tx,
      actor,
      createCourseDeletion(federationId, { ...release, title, sha256, bytes }),
      (queued) => ({
        audit: [{
          kind: "federation_updated",
          ...buildHubSubject(federationId),
          metadata: {
            changed: { courses: { [course.id]: null } },
            ...{ title, version: version.version, operationId: queued.id },
          },
        }],
        events: [{ federationId, state: hub.state, operation: toStreamOperation(queued) }],
      }),
    );
    return await showOperation(tx, actor, job);
  });
}

function removeVersion(courses: readonly HubCourse[], course: HubCourse, version: CourseVersion): HubCourse[] {
  const versions = course.versions.filter((each) => each !== version), title = versions.at(-1)?.title ?? course.title;
  const lastDeleted = Math.max(course.lastDeleted ?? 0, version.version),
    after = { ...course, title, versions, lastDeleted };
  return courses.flatMap((each) => each !== course ? [each] : versions.length > 0 ? [after] : []);
}

/** Throws a `conflict` fault (`course_version_in_use`) if the hub, a spoke or a recent policy needs the version. */
async function requireUnusedVersion(tx: Tx, { id, policy }: FederationRow, release: string): Promise<void> {
  if (policy?.courses?.values.releases?.includes(release)) {
    throw inUseFault("the hub gives it to its spokes; give them another version first");
  }
  const spokes = await listSpokesWithRelease(tx, id, release);
  if (spokes.length > 0) {
    const names = spokes.slice(0, MAX_NAMES).join(", "), more = spokes.length - MAX_NAMES;
    const all = more > 0 ? `${names} and ${more} more` : names;
    throw inUseFault(`${all} ${spokes.length === 1 ? "has" : "have"} it; give them another version first`);
  }
  const end = await findEndOfRelease(tx, id, release);
  if (end === null) return;
  const until = new Date(end.getTime() + COURSE_ROLLBACK_DAYS * DAY);
  if (until <= await readDatabaseTime(tx)) return;
  const day = (date: Date) => date.toISOString().slice(0, 10);
  throw inUseFault(`the hub gave it to its spokes until ${day(end)}, and can go back to it until ${day(until)}`);
}

function inUseFault(reason: string): Fault {
  return new Fault("conflict", "course_version_in_use", `Cannot delete the version: ${reason}`);
}

/** Returns the slugs of the spokes whose site has the version, or whose admins have taken it. */
async function listSpokesWithRelease(rows: RowQueries, federationId: string, release: string): Promise<string[]> {
  const { rows: found } = await sql<{ slug: string }>`
    select slug from spokes where federation_id = ${federationId} and state <> 'removed' and (
      blueprint_inputs #> '{shared,courses,values,releases}' ? ${release}
      or policy #> '{overrides,courses,values,releases}' ? ${release}
    ) order by slug`.execute(rows);
  return found.map(({ slug }) => slug);
}

/** Returns when the hub last stopped giving the version to its spokes; null if it never gave it to them. */
async function findEndOfRelease(rows: RowQueries, federationId: string, release: string): Promise<Date | null> {
  const { rows: [row] } = await sql<{ end: Date | null }>`
    select max(next_change) as end from (
      select values, lead(changed_at) over (order by version) as next_change from policy_versions
      where federation_id = ${federationId} and section = 'courses'
    ) as versions where values -> 'releases' ? ${release}`.execute(rows);
  return row!.end;
}
