import * as v from "valibot";
import { requestCoursePublication } from "#lib/domains/courses/publish.ts";
import { listHubCourses } from "#lib/domains/courses/show.ts";
import { CoursePublication, CourseView } from "#lib/domains/courses/views.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply, okReply } from "#lib/http/reply.ts";
import { OperationDetail } from "#lib/jobs/operation.ts";

export const GET = endpoint({
  summary: "The courses that a hub offers to its spokes, by title",
  access: hubAccess("see"),
  scope: "readonly",
  reply: okReply(v.array(CourseView)),
  handle: ({ app, actor, federation }) => listHubCourses(app.db.rows, federation, actor),
});

export const POST = endpoint({
  summary: "Publish a course of a site, without its people, as a new version of a course of the hub",
  access: hubAccess("change"),
  scope: "cli",
  body: CoursePublication,
  reply: acceptedReply(OperationDetail),
  faults: ["spoke_missing", "course_missing", "too_many_courses", "federation_state", "spoke_state"],
  idempotent: true,
  handle: ({ app, actor, federation, body, idempotency }) =>
    requestCoursePublication(app, actor, federation, body, idempotency),
});
