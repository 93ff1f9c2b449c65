import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub, PATCH as updateHub } from "#routes/api/federations/[federationId]/index.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import { EDITABLE_HUB_FIELDS } from "#lib/portal/hubs/new-hub.ts";
import { hubSettingsView } from "#lib/portal/hubs/settings.ts";
import { findChangedFields, flashKeyForChanges, originalFieldNames } from "#lib/portal/page/form-changes.ts";
import { formPage, formSchema } from "#lib/portal/page/page.ts";

export const { GET, POST } = formPage({
  summary: "The settings of a hub",
  async show({ callApi, me, actor }, submission) {
    const hub = await callApi(getHub);
    requireHubAdmin(actor, hub.id);
    return hubSettingsView({ me, hub, catalog: await callApi(getCatalog), submission });
  },
  form: {
    summary: "Change a hub's settings",
    body: formSchema(...EDITABLE_HUB_FIELDS, ...originalFieldNames(EDITABLE_HUB_FIELDS)),
    async submit({ callApi, body }) {
      const changes = findChangedFields(EDITABLE_HUB_FIELDS, await callApi(getHub), body);
      const { id } = await callApi(updateHub, { body: changes });
      return { to: `/hubs/${id}/settings?done=${flashKeyForChanges(changes)}` };
    },
  },
});
