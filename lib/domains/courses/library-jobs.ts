/** Creates jobs that work on a hub's library. They run one after another, and do not wait for the hub's installations. */
import { type JobOf, type NewJob } from "#lib/jobs/job.ts";
import { HUB_OPERATIONS } from "#lib/operations/table.ts";

type DeleteCoursePayload = JobOf<(typeof HUB_OPERATIONS)["delete-course"]["kind"]>["payload"];

export function buildLibraryLane(federationId: string): string {
  return `library:${federationId}`;
}

/** Creates the job that deletes the package of a version. */
export function createCourseDeletion(federationId: string, payload: DeleteCoursePayload): NewJob {
  const { kind } = HUB_OPERATIONS["delete-course"];
  return { kind, lane: buildLibraryLane(federationId), federationId, spokeId: null, payload };
}

/** Creates the job that restores the library from this backup. */
export function createLibraryRestore(federationId: string, backupId: string): NewJob {
  const { kind } = HUB_OPERATIONS["restore-library"], payload = { backupId };
  return { kind, lane: buildLibraryLane(federationId), federationId, spokeId: null, payload };
}
