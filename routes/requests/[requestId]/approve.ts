import { GET as getCatalog } from "#routes/api/catalog.ts";
import { POST as approve } from "#routes/api/federation-requests/[requestId]/approve.ts";
import { GET as getRequest } from "#routes/api/federation-requests/[requestId]/index.ts";
import { NEW_HUB_FIELDS } from "#lib/portal/hubs/new-hub.ts";
import { requestView } from "#lib/portal/requests/request.ts";
import { dropEmptyFields, formAction, formSchema } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Approve a request for a new hub",
  body: formSchema(...NEW_HUB_FIELDS, "key"),
  async submit({ callApi, body: { key, ...typed } }) {
    const { id } = await callApi(approve, { body: dropEmptyFields(typed), key });
    return { to: `/requests/${id}?done=approved` };
  },
  async onRefusal({ callApi, me }, submission) {
    const [request, catalog] = await Promise.all([callApi(getRequest), callApi(getCatalog)]);
    return requestView({ me, request, catalog, submission, refusedDecision: "approve" });
  },
});
