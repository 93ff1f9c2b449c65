import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub, PATCH as updateHub } from "#routes/api/federations/[federationId]/index.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import { EDITABLE_HUB_FIELDS, hubSettingsView } from "#lib/portal/hubs/settings.ts";
import { changedFields, flashKeyFor, originalFields } from "#lib/portal/page/form-changes.ts";
import type { Submission } from "#lib/portal/components/forms.ts";
import { formAction, formFields, type PageCall, portalPage } from "#lib/portal/page/page.ts";

async function show({ callApi, me, actor }: Pick<PageCall, "callApi" | "me" | "actor">, submission?: Submission) {
  const hub = await callApi(getHub);
  requireHubAdmin(actor, hub.id);
  return hubSettingsView({ me, hub, catalog: await callApi(getCatalog), submission });
}

export const GET = portalPage({ summary: "The settings of a hub", show: (call) => show(call) });

export const POST = formAction({
  summary: "Change a hub's settings",
  body: formFields(...EDITABLE_HUB_FIELDS, ...originalFields(EDITABLE_HUB_FIELDS)),
  async submit({ callApi, body }) {
    const changes = changedFields(EDITABLE_HUB_FIELDS, await callApi(getHub), body);
    const { id } = await callApi(updateHub, { body: changes });
    return { to: `/hubs/${id}/settings?done=${flashKeyFor(changes)}` };
  },
  onRefusal: show,
});
