import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpoke, PATCH as updateSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { catchRefusal, formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";
import { findChangedFields, flashKeyForChanges, originalFieldNames } from "#lib/portal/page/form-changes.ts";
import {
  buildSettingsRequest,
  EDITABLE_SPOKE_FIELDS,
  settingsView,
  type SpokeFields,
  toFormValues,
} from "#lib/portal/spokes/settings.ts";

export const GET = portalPage({ summary: "The settings of a spoke", show: (call) => show(call) });

export const POST = formAction({
  summary: "Change a spoke's name, brand, administrator's address, sign-in, courses, domain or mail",
  body: formSchema(...EDITABLE_SPOKE_FIELDS, ...originalFieldNames(EDITABLE_SPOKE_FIELDS), "preview"),
  async submit(call) {
    const { callApi, body } = call;
    if (body.preview) return await show(call, body);
    const before = await callApi(getSpoke);
    const changes = findChangedFields(EDITABLE_SPOKE_FIELDS, toFormValues(before), body);
    const after = await callApi(updateSpoke, { body: buildSettingsRequest(changes) });
    const startsOperation = "operation" in after && after.operation !== null;
    return {
      to: `/spokes/${before.id}${startsOperation ? "?done=asked" : `/settings?done=${flashKeyForChanges(changes)}`}`,
    };
  },
  onRefusal: (call, submission) => show(call, call.body, submission),
});

async function show(call: PageContext<unknown, unknown>, form?: SpokeFields, refused?: RefusedSubmission) {
  const spokePage = await loadSpokePage(call, getSpoke, getHub), catalog = await call.callApi(getCatalog);
  const current = toFormValues(spokePage.spoke);
  const body = form ? buildSettingsRequest(findChangedFields(EDITABLE_SPOKE_FIELDS, current, form)) : {},
    needsPreview = Object.keys(body).length > 0 && !refused;
  const { result, submission } = needsPreview
    ? await catchRefusal(call.callApi(updateSpoke, { query: { dryRun: "true" }, body }), { ...form })
    : { result: null, submission: undefined };
  const preview = result && "dryRun" in result ? result : null;
  return settingsView({
    spokePage,
    catalog,
    form,
    preview,
    submission: refused ?? submission,
    isSave: refused !== undefined,
  });
}
