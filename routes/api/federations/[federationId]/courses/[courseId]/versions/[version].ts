import * as v from "valibot";
import { deleteCourseVersion } from "#lib/domains/courses/delete.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";
import { OperationDetail } from "#lib/jobs/operation.ts";

export const DELETE = endpoint({
  summary: "Delete a version of a course of the hub, which no site needs any longer, and its package",
  access: hubAccess("change"),
  scope: "cli",
  params: v.object({ courseId: v.string(), version: v.string() }),
  reply: acceptedReply(OperationDetail),
  faults: ["course_version_missing", "course_version_in_use", "federation_state"],
  handle: ({ app, actor, federation, params: { courseId, version } }) =>
    deleteCourseVersion(app, actor, federation, { course: courseId, version: Number(version) }),
});
