/** Puts a hub's subscription right. */
import { POST as reconcile } from "#routes/api/federations/[federationId]/billing/reconcile.ts";
import { formAction } from "#lib/portal/page/page.ts";

export const POST = formAction({
  summary: "Tell the payment provider anew what there is, by a button",
  async submit({ callApi, params: { federationId } }) {
    await callApi(reconcile);
    return { to: `/hubs/${federationId}/billing?done=reconciling` };
  },
});
