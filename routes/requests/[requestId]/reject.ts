import { GET as getCatalog } from "#routes/api/catalog.ts";
import { POST as reject } from "#routes/api/federation-requests/[requestId]/reject.ts";
import { GET as getRequest } from "#routes/api/federation-requests/[requestId]/index.ts";
import { requestView } from "#lib/portal/requests/request.ts";
import { dropEmptyFields, formAction, formSchema } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Reject a request for a new hub",
  body: formSchema("reason", "key"),
  async submit({ callApi, body: { key, ...typed } }) {
    const { id } = await callApi(reject, { body: dropEmptyFields(typed), key });
    return { to: `/requests/${id}?done=rejected` };
  },
  async onRefusal({ callApi, me }, submission) {
    const [request, catalog] = await Promise.all([callApi(getRequest), callApi(getCatalog)]);
    return requestView({ me, request, catalog, submission, refusedDecision: "reject" });
  },
});
