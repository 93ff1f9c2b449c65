/** Puts a hub's subscription right. */
import { POST as reconcile } from "#routes/api/federations/[federationId]/billing/reconcile.ts";
import { deed } from "#lib/portal/page/page.ts";

export const POST = deed({
  summary: "Tell the payment provider anew what there is, by a button",
  async act({ ask, params: { federationId } }) {
    await ask(reconcile);
    return { to: `/hubs/${federationId}/billing?done=reconciling` };
  },
});
