import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getBilling, POST as connectBilling } from "#routes/api/federations/[federationId]/billing/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { hubBillingView } from "#lib/portal/hubs/billing.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { dropEmptyFields, formAction, formSchema, type PageContext, portalPage } from "#lib/portal/page/page.ts";

async function show({ callApi, me }: Pick<PageContext, "callApi" | "me">, submission?: RefusedSubmission) {
  const [hub, bill, catalog] = await Promise.all([callApi(getHub), callApi(getBilling), callApi(getCatalog)]);
  return hubBillingView({ me, hub, billing: bill, catalog, submission });
}

export const GET = portalPage({ summary: "A hub's billing and its open invoice", show: (call) => show(call) });

export const POST = formAction({
  summary: "Start billing a hub, or change the address for its invoices",
  body: formSchema("email"),
  async submit({ callApi, body, params: { federationId } }) {
    await callApi(connectBilling, { body: dropEmptyFields(body) });
    return { to: `/hubs/${federationId}/billing?done=changed` };
  },
  onRefusal: show,
});
