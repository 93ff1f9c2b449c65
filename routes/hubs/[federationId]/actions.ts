import * as v from "valibot";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { POST as previewAction } from "#routes/api/spokes/[spokeId]/actions.ts";
import { POST as actOnAll } from "#routes/api/spokes/actions.ts";
import { Fault } from "#lib/base/errors.ts";
import { bulkConfirmationView, bulkResultsView, type SelectedSpoke } from "#lib/portal/hubs/bulk.ts";
import type { CallApi } from "#lib/portal/page/call-api.ts";
import type { Spoke } from "#lib/portal/components/api-types.ts";
import { formAction } from "#lib/portal/page/page.ts";

/** The maximum number of spokes for which a page previews an action. Each preview calls the cluster. */
const MAX_PREVIEWS = 10;

export const POST = formAction({
  summary: "Confirm and run an action on selected spokes of a hub",
  body: v.record(v.string(), v.string()),
  async submit({ callApi, body: { action = "", confirmed, ...ticked } }) {
    const [hub, all] = await Promise.all([callApi(getHub), callApi(getSpokes)]);
    const selectedSpokes = all.items.filter(({ id }) => ticked[`spoke:${id}`] === "on");
    if (!confirmed || selectedSpokes.length === 0) {
      return bulkConfirmationView({ hub, action, selected: await previewSelected(callApi, action, selectedSpokes) });
    }
    const answers = await callApi(actOnAll, { body: { ids: selectedSpokes.map(({ id }) => id), action } });
    if (answers.every(({ accepted }) => accepted)) return { to: `/hubs/${hub.id}?done=asked` };
    return bulkResultsView({
      hub,
      action,
      selected: selectedSpokes.map((spoke) => ({ spoke, preview: null })),
      answers,
    });
  },
});

async function previewSelected(
  callApi: CallApi,
  action: string,
  selectedSpokes: readonly Spoke[],
): Promise<readonly SelectedSpoke[]> {
  if (selectedSpokes.length > MAX_PREVIEWS) return selectedSpokes.map((spoke) => ({ spoke, preview: null }));
  return await Promise.all(selectedSpokes.map(async (spoke) => {
    const request = { params: { spokeId: spoke.id }, body: { action }, query: { dryRun: "true" } };
    try {
      const result = await callApi(previewAction, request);
      return { spoke, preview: "other" in result ? result.other : null };
    } catch (error) {
      if (!(error instanceof Fault) || error.kind === "invalid") throw error;
      return { spoke, preview: error.kind === "unavailable" ? null : error.message };
    }
  }));
}
