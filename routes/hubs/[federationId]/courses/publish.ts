import { GET as getCourses, POST as publish } from "#routes/api/federations/[federationId]/courses/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { PUBLICATION_FIELDS, publishCourseView } from "#lib/portal/hubs/publish-course.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import {
  dropEmptyFields,
  formAction,
  formSchema,
  optionalQuerySchema,
  type PageContext,
  portalPage,
} from "#lib/portal/page/page.ts";

/** The maximum number of sites in the form. A course of another site is published from that site's page. */
const MAX_SITES = "100";

interface Start {
  /** The ID of the site that the form chooses at first. */
  readonly from?: string | undefined;
  /** The ID of the course that gets a new version. */
  readonly of?: string | undefined;
  readonly submission?: RefusedSubmission;
}

export const GET = portalPage({
  summary: "The form that publishes a course of a site",
  query: optionalQuerySchema("from", "of"),
  show: (call) => show(call, call.query),
});

export const POST = formAction({
  summary: "Publish a course of a site as a new version of a course of the hub",
  body: formSchema(...PUBLICATION_FIELDS),
  async submit({ callApi, body }) {
    const publication = { ...dropEmptyFields(body), deliver: body.deliver === "on" };
    const { id, spokeId } = await callApi(publish, { body: publication });
    return { to: `/spokes/${spokeId}/operations/${id}?done=asked` };
  },
  onRefusal: (call, submission) => show(call, { from: call.body.spokeId, submission }),
});

async function show({ callApi, actor }: PageContext<unknown, unknown>, { from, of, submission }: Start) {
  const hub = await callApi(getHub);
  requireHubAdmin(actor, hub.id);
  const courses = await callApi(getCourses), newest = courses.find(({ id }) => id === of)?.versions[0];
  const { items } = await callApi(getSpokes, { query: { state: "active", limit: MAX_SITES } });
  const spokeId = from ?? newest?.spokeId ?? "";
  const chosen = spokeId === "" ? null : await resultIfVisible(callApi(getSpoke, { params: { spokeId } }));
  const isMissing = chosen?.federationId === hub.id && items.every(({ id }) => id !== chosen.id);
  return publishCourseView({
    hub,
    spokes: isMissing ? [chosen, ...items] : items,
    courses,
    values: { spokeId, course: newest?.shortname ?? "", courseId: of ?? "", deliver: "on" },
    ...(submission && { submission }),
  });
}
