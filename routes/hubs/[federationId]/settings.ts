import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub, PATCH as updateHub } from "#routes/api/federations/[federationId]/index.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import { EDITABLE_HUB_FIELDS } from "#lib/portal/hubs/new-hub.ts";
import { hubSettingsView } from "#lib/portal/hubs/settings.ts";
import { findChangedFields, flashKeyForChanges, originalFieldNames } from "#lib/portal/page/form-changes.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";

async function show(
  { callApi, me, actor }: Pick<PageContext, "callApi" | "me" | "actor">,
  submission?: RefusedSubmission,
) {
  const hub = await callApi(getHub);
  requireHubAdmin(actor, hub.id);
  return hubSettingsView({ me, hub, catalog: await callApi(getCatalog), submission });
}

export const GET = portalPage({ summary: "The settings of a hub", show: (call) => show(call) });

export const POST = formAction({
  summary: "Change a hub's settings",
  body: formSchema(...EDITABLE_HUB_FIELDS, ...originalFieldNames(EDITABLE_HUB_FIELDS)),
  async submit({ callApi, body }) {
    const changes = findChangedFields(EDITABLE_HUB_FIELDS, await callApi(getHub), body);
    const { id } = await callApi(updateHub, { body: changes });
    return { to: `/hubs/${id}/settings?done=${flashKeyForChanges(changes)}` };
  },
  onRefusal: show,
});
