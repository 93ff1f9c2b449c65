import { reconcileBilling } from "#lib/domains/billing/connect.ts";
import { BillingView } from "#lib/domains/billing/views.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Send a hub's billed quantities to the payment provider again, and overwrite changes made there. " +
    "Replaces a subscription that has ended",
  access: hubAccess("bill"),
  scope: "cli",
  reply: acceptedReply(BillingView),
  faults: ["billing_off", "not_billed"],
  handle: ({ app, actor, federation }) => reconcileBilling(app, actor, federation),
});
