import { GET as getCourses } from "#routes/api/federations/[federationId]/courses/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getPolicy, PATCH as updatePolicy } from "#routes/api/spokes/[spokeId]/policy.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import { formPage, openFormSchema, type PageContext } from "#lib/portal/page/page.ts";
import { buildOwnValuesRequest, OWN_VALUES_FIELDS, ownValuesView } from "#lib/portal/spokes/own-values.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const { GET, POST } = formPage({
  summary: "A spoke's own values where its hub allows them, and the sections from which it is excluded",
  show: (call, submission) => show(call, submission),
  form: {
    summary: "Change a spoke's own values, or exclude it",
    body: openFormSchema(...OWN_VALUES_FIELDS),
    async submit({ callApi, body }) {
      const shared = await callApi(getPolicy);
      const { spokeId } = await callApi(updatePolicy, { body: buildOwnValuesRequest(shared, body) });
      return { to: `/spokes/${spokeId}?done=own-values` };
    },
  },
});

async function show(call: PageContext<unknown, unknown>, submission?: RefusedSubmission) {
  const spokePage = await loadSpokePage(call, getSpoke, getHub);
  const { federationId } = spokePage.spoke;
  const courses = await resultIfVisible(call.callApi(getCourses, { params: { federationId } })) ?? [];
  return ownValuesView({ spokePage, shared: await call.callApi(getPolicy), courses, submission });
}
