import { GET as getCatalog } from "#routes/api/catalog.ts";
import { POST as create } from "#routes/api/federations/index.ts";
import { requireOperator } from "#lib/domains/auth/access.ts";
import { NEW_HUB_FIELDS, newHubView } from "#lib/portal/hubs/new-hub.ts";
import { dropEmptyFields, formAction, formSchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "The form for creating a hub, for operators",
  async show({ callApi, actor }) {
    requireOperator(actor);
    return newHubView(await callApi(getCatalog));
  },
});

export const POST = formAction({
  summary: "Create a hub",
  body: formSchema(...NEW_HUB_FIELDS, "key"),
  async submit({ callApi, body: { key, ...typed } }) {
    const { id } = await callApi(create, { body: dropEmptyFields(typed), key });
    return { to: `/hubs/${id}?done=created` };
  },
  onRefusal: async ({ callApi }, submission) => newHubView(await callApi(getCatalog), submission),
});
