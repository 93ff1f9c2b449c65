import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub, PATCH as updateHub } from "#routes/api/federations/[federationId]/index.ts";
import { requireHubAdmin } from "#lib/domains/federations/access.ts";
import type { PreviewedHub } from "#lib/portal/components/api-types.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { EDITABLE_HUB_FIELDS } from "#lib/portal/hubs/new-hub.ts";
import { hubSettingsView } from "#lib/portal/hubs/settings.ts";
import { findChangedFields, flashKeyForChanges, originalFieldNames } from "#lib/portal/page/form-changes.ts";
import { formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "The settings of a hub",
  show: (call) => show(call),
});

export const POST = formAction({
  summary: "Preview or change a hub's settings",
  body: formSchema(...EDITABLE_HUB_FIELDS, ...originalFieldNames(EDITABLE_HUB_FIELDS), "confirmed", "rollOut"),
  async submit(call) {
    const { confirmed = "", rollOut = "", ...form } = call.body;
    const changes = findChangedFields(EDITABLE_HUB_FIELDS, await call.callApi(getHub), form);
    if (changes.tier !== undefined && confirmed === "") {
      const { preview } = await call.callApi(updateHub, { body: changes, query: { dryRun: "true" } });
      if (preview && preview.spokes.length > 0) return await show(call, { preview, form });
    }
    const body = { ...changes, ...(rollOut === "" ? {} : { rollOut: true }) };
    const { id } = await call.callApi(updateHub, { body });
    return { to: `/hubs/${id}/settings?done=${flashKeyForChanges(changes)}` };
  },
  onRefusal: (call, submission) => show(call, { submission }),
});

interface Extras {
  readonly form?: Readonly<Record<string, string>>;
  readonly preview?: PreviewedHub;
  readonly submission?: RefusedSubmission;
}

async function show({ callApi, me, actor }: PageContext<unknown, unknown>, extras: Extras = {}) {
  const hub = await callApi(getHub);
  requireHubAdmin(actor, hub.id);
  return hubSettingsView({ me, hub, catalog: await callApi(getCatalog), ...extras });
}
