/** Publishes a course of a spoke's site as a new version of a course of the hub. The operation does the work. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireRoomForCourse } from "#lib/domains/courses/store.ts";
import type { CoursePublication } from "#lib/domains/courses/views.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { enqueueSpokeAction, readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import { showOperation } from "#lib/domains/operations/show.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import type { OperationDetail } from "#lib/jobs/operation.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";

/**
 * Enqueues the operation. Throws a fault: `missing` (`spoke_missing`), `invalid` (`course_missing`), or `conflict`
 * (`federation_state`, `spoke_state` or `too_many_courses`).
 */
export async function requestCoursePublication(
  app: App,
  actor: Actor,
  { id, state, courses }: FederationRow,
  { spokeId, course, courseId, deliver }: CoursePublication,
  key: IdempotencyKey | null,
): Promise<OperationDetail> {
  requireLiveHub(state, "publish a course of");
  if (courseId !== undefined && !courses?.some((each) => each.id === courseId)) {
    throw new Fault("invalid", "course_missing", `The hub has no course ${courseId}`);
  }
  if (courseId === undefined) requireRoomForCourse(courses ?? []);
  return await runIdempotently(app.db, key, async (tx) => {
    const found = await tx.selectFrom("spokes").select("id").where("id", "=", spokeId).where("federationId", "=", id)
      .where("state", "<>", "removed").executeTakeFirst();
    if (!found) throw spokeMissingFault();
    const before = await lockSpoke(tx, spokeId);
    const accepted = requireActionAllowed("publish-course", await readSpokeActionFacts(tx, before));
    const payload = { course, ...(courseId !== undefined && { courseId }), deliver: deliver ?? true };
    const [, job] = await enqueueSpokeAction(tx, actor, before, accepted, "publish-course", payload);
    return await showOperation(tx, actor, job);
  });
}
