import { POST as reconcile } from "#routes/api/federations/[federationId]/billing/reconcile.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Reconcile a hub's subscription with the payment provider",
  async submit({ callApi, params: { federationId } }) {
    await callApi(reconcile);
    return { to: `/hubs/${federationId}/billing?done=reconciling` };
  },
});
