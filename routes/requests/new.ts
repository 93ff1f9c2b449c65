import { GET as getCatalog } from "#routes/api/catalog.ts";
import { POST as createRequest } from "#routes/api/federation-requests/index.ts";
import { NEW_HUB_FIELDS } from "#lib/portal/hubs/new-hub.ts";
import { newRequestView } from "#lib/portal/requests/request.ts";
import { dropEmptyFields, formPage, formSchema } from "#lib/portal/page/page.ts";

export const { GET, POST } = formPage({
  summary: "The form for requesting a hub",
  show: async ({ callApi }, submission) => newRequestView(await callApi(getCatalog), submission),
  form: {
    summary: "Request a hub",
    body: formSchema(...NEW_HUB_FIELDS, "reason", "key"),
    async submit({ callApi, body: { key, ...typed } }) {
      const { id } = await callApi(createRequest, { body: dropEmptyFields(typed), key });
      return { to: `/requests/${id}?done=requested` };
    },
  },
});
