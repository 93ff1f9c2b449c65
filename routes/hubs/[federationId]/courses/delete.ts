import { DELETE as deleteVersion } from "#routes/api/federations/[federationId]/courses/[courseId]/versions/[version].ts";
import { GET as getCourses } from "#routes/api/federations/[federationId]/courses/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { deleteCourseView } from "#lib/portal/hubs/delete-course.ts";
import { formAction, formSchema, optionalQuerySchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";

type Values = Readonly<Record<"course" | "version", string>>;

export const GET = portalPage({
  summary: "Confirm that a version of a course is deleted",
  query: optionalQuerySchema("course", "version"),
  show: (call) => show(call, { course: call.query.course ?? "", version: call.query.version ?? "" }),
});

export const POST = formAction({
  summary: "Delete a version of a course of the hub",
  body: formSchema("course", "version"),
  async submit({ callApi, params, body: { course: courseId, version } }) {
    const { federationId } = await callApi(deleteVersion, { params: { ...params, courseId, version } });
    return { to: `/hubs/${federationId}/operations?done=asked` };
  },
  onRefusal: (call, submission) => show(call, call.body, submission),
});

async function show({ callApi, actor }: PageContext<unknown, unknown>, values: Values, submission?: RefusedSubmission) {
  const hub = await callApi(getHub);
  requireHubAdmin(actor, hub.id);
  const course = (await callApi(getCourses)).find(({ id }) => id === values.course);
  const version = course?.versions.find((each) => String(each.version) === values.version);
  return deleteCourseView({ hub, version, values, submission });
}
