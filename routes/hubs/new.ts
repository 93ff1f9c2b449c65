import { GET as getCatalog } from "#routes/api/catalog.ts";
import { POST as create } from "#routes/api/federations/index.ts";
import { requireOperator } from "#lib/domains/auth/access.ts";
import { NEW_HUB_FIELDS, newHubView } from "#lib/portal/hubs/new-hub.ts";
import { dropEmptyFields, formPage, formSchema } from "#lib/portal/page/page.ts";

export const { GET, POST } = formPage({
  summary: "The form for creating a hub, for operators",
  async show({ callApi, actor }, submission) {
    requireOperator(actor);
    return newHubView(await callApi(getCatalog), submission);
  },
  form: {
    summary: "Create a hub",
    body: formSchema(...NEW_HUB_FIELDS, "key"),
    async submit({ callApi, body: { key, ...typed } }) {
      const { id } = await callApi(create, { body: dropEmptyFields(typed), key });
      return { to: `/hubs/${id}?done=created` };
    },
  },
});
