import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getBilling, POST as connectBilling } from "#routes/api/federations/[federationId]/billing/index.ts";
import { GET as getCost } from "#routes/api/federations/[federationId]/cost.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { hubBillingView } from "#lib/portal/hubs/billing.ts";
import { dropEmptyFields, formPage, formSchema } from "#lib/portal/page/page.ts";

export const { GET, POST } = formPage({
  summary: "A hub's billing and its open invoice",
  async show({ callApi, me }, submission) {
    const [hub, billing, cost, catalog] = await Promise.all([
      callApi(getHub),
      callApi(getBilling),
      callApi(getCost),
      callApi(getCatalog),
    ]);
    return hubBillingView({ me, hub, billing, cost, catalog, submission });
  },
  form: {
    summary: "Start billing a hub, or change the address for its invoices",
    body: formSchema("email"),
    async submit({ callApi, body, params: { federationId } }) {
      await callApi(connectBilling, { body: dropEmptyFields(body) });
      return { to: `/hubs/${federationId}/billing?done=changed` };
    },
  },
});
