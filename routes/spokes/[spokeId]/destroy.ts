import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getOperation } from "#routes/api/operations/[operationId].ts";
import { GET as getBackups } from "#routes/api/spokes/[spokeId]/backups.ts";
import { DELETE as removeSpoke, GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";
import { destroySpokeView, requireTypedSlug } from "#lib/portal/spokes/destroy.ts";
import { loadSpokePage, requireHubManager } from "#lib/portal/spokes/spoke-page.ts";

export const GET = portalPage({ summary: "Confirm the removal of a spoke", show: (call) => show(call) });

export const POST = formAction({
  summary: "Remove a spoke",
  body: formSchema("slug", "abandon"),
  async submit({ callApi, body: { slug, abandon } }) {
    const spoke = await callApi(getSpoke), isRetry = spoke.state === "removing" && !abandon;
    if (!isRetry) requireTypedSlug(spoke, slug);
    const { state } = await callApi(removeSpoke, { query: { abandon: abandon ? "true" : undefined } });
    return { to: `/spokes/${spoke.id}?done=${state === "removed" ? "removed" : "removing"}` };
  },
  onRefusal: (call, submission) => show(call, submission),
});

async function show(call: PageContext<unknown, unknown>, submission?: RefusedSubmission) {
  const spokePage = requireHubManager(await loadSpokePage(call, getSpoke, getHub)), current = spokePage.spoke.operation;
  const removal = current && await call.callApi(getOperation, { params: { operationId: current.id } });
  const spokeBackups = await call.callApi(getBackups, { query: { includeRemoved: "true" } });
  return destroySpokeView({ spokePage, backups: spokeBackups, removal, submission });
}
