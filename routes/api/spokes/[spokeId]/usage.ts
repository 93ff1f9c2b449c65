import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { showSpokeUsage } from "#lib/domains/usage/show.ts";
import { SpokeUsageView, UsageQuery } from "#lib/domains/usage/views.ts";

export const GET = endpoint({
  summary: "A spoke's storage, users and courses, now and in the last days",
  access: spokeAccess("history"),
  scope: "readonly",
  query: UsageQuery,
  reply: okReply(SpokeUsageView),
  handle: ({ app, spoke, query }) => showSpokeUsage(app.db.rows, spoke.id, query.days),
});
