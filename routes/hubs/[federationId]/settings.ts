/** Shows and changes the settings of a hub. */
import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub, PATCH as updateHub } from "#routes/api/federations/[federationId]/index.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import { HUB_CHANGEABLE, hubSettingsView } from "#lib/portal/hubs/settings.ts";
import { changedFields, changeResult, originalFields } from "#lib/portal/page/form-changes.ts";
import type { Submission } from "#lib/portal/components/forms.ts";
import { fields, formAction, page, type PageCall } from "#lib/portal/page/page.ts";

async function show({ callApi, me, actor }: Pick<PageCall, "callApi" | "me" | "actor">, submission?: Submission) {
  const hub = await callApi(getHub);
  requireHubAdmin(actor, hub.id);
  return hubSettingsView({ me, hub, catalog: await callApi(getCatalog), submission });
}

export const GET = page({ summary: "The settings of a hub", show: (call) => show(call) });

export const POST = formAction({
  summary: "Change a hub's settings",
  body: fields(...HUB_CHANGEABLE, ...originalFields(HUB_CHANGEABLE)),
  async submit({ callApi, body }) {
    const changes = changedFields(HUB_CHANGEABLE, await callApi(getHub), body);
    const { id } = await callApi(updateHub, { body: changes });
    return { to: `/hubs/${id}/settings?done=${changeResult(changes)}` };
  },
  onRefusal: show,
});
