import { connectBilling, showBilling } from "#lib/domains/billing/connect.ts";
import { BillingAddress, BillingView } from "#lib/domains/billing/views.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "A hub's subscription as last reported by the payment provider, and its open invoice",
  access: hubAccess("change"),
  scope: "readonly",
  reply: okReply(BillingView),
  handle: ({ app, actor, federation }) => showBilling(app, actor, federation),
});

export const POST = endpoint({
  summary: "Start billing a hub and set the address for invoices. Repeating the request changes the address",
  access: hubAccess("bill"),
  scope: "cli",
  body: BillingAddress,
  reply: okReply(BillingView),
  faults: ["billing_off"],
  handle: ({ app, actor, federation, body }) => connectBilling(app, actor, federation, body),
});
