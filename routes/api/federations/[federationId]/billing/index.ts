/** What a hub pays for, and who is asked to pay. */
import { connectBilling } from "#lib/domains/billing/connect.ts";
import { showBilling } from "#lib/domains/billing/show.ts";
import { BillingAddress, BillingView } from "#lib/domains/billing/views.ts";
import { federation } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "A hub's subscription as the payment provider last showed it, and the invoice that is to be paid",
  access: federation("change"),
  scope: "readonly",
  reply: ok(BillingView),
  handle: ({ app, actor, federation }) => showBilling(app, actor, federation),
});

export const POST = endpoint({
  summary: "Have a hub's spokes billed, and say where the invoices go; again, they go to another address",
  access: federation("bill"),
  scope: "cli",
  body: BillingAddress,
  reply: ok(BillingView),
  faults: ["billing_off"],
  handle: ({ app, actor, federation, body }) => connectBilling(app, actor, federation, body),
});
