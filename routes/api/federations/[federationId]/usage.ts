import { hubAccess } from "#lib/domains/federations/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { showHubUsage } from "#lib/domains/usage/show.ts";
import { HubUsageView, UsageQuery } from "#lib/domains/usage/views.ts";

// Spoke admins may not read the sums, because they include spokes of others.
export const GET = endpoint({
  summary: "The sums of a hub's storage, users and courses, now and in the last days",
  access: hubAccess("change"),
  scope: "readonly",
  query: UsageQuery,
  reply: okReply(HubUsageView),
  handle: ({ app, federation, query }) => showHubUsage(app.db.rows, federation.id, query.days),
});
