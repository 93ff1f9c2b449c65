import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { showOverview } from "#lib/domains/federations/overview.ts";
import { ListedHubs, OverviewView } from "#lib/domains/federations/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { boundedText } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "The number of spokes that you can see, by state, in total and per hub, and the length of the job queue. " +
    "With hubs, a list of hub IDs separated by commas, returns the numbers per hub only for these hubs",
  access: signedInAccess,
  scope: "readonly",
  polled: true,
  query: v.object({ federationId: v.optional(boundedText(1, 100)), hubs: ListedHubs }),
  reply: okReply(OverviewView),
  faults: ["federation_missing"],
  handle: ({ app, actor, query }) => showOverview(app.db.rows, actor, { ...query, revision: app.blueprint.revision }),
});
