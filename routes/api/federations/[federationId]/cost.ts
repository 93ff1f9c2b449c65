import { readHubCost } from "#lib/domains/billing/hub-cost.ts";
import { HubCostView } from "#lib/domains/billing/views.ts";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "What a hub's spokes cost per month, and the estimate of the next invoice",
  access: hubAccess("change"),
  scope: "readonly",
  reply: okReply(HubCostView),
  handle: ({ app, federation, signal }) => readHubCost(app, federation, signal),
});
