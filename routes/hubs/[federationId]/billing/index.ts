/** What a hub pays. */
import { GET as catalog } from "#routes/api/catalog.ts";
import { GET as billing, POST as connect } from "#routes/api/federations/[federationId]/billing/index.ts";
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { hubBillingView } from "#lib/portal/hubs/billing.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { deed, fields, filled, page, type PageCall } from "#lib/portal/page/page.ts";

async function show({ ask, me }: Pick<PageCall, "ask" | "me">, tried?: Tried) {
  const [shown, bill, offers] = await Promise.all([ask(hub), ask(billing), ask(catalog)]);
  return hubBillingView({ me, hub: shown, billing: bill, offers, tried });
}

export const GET = page({ summary: "What a hub pays, and what is to be paid now", show: (call) => show(call) });

export const POST = deed({
  summary: "Have a hub billed, or its invoices sent elsewhere, by the page's form",
  body: fields("email"),
  async act({ ask, body, params: { federationId } }) {
    await ask(connect, { body: filled(body) });
    return { to: `/hubs/${federationId}/billing?done=changed` };
  },
  again: show,
});
