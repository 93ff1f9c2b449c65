import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { getRemovedObjectVisibility } from "#lib/domains/federations/access.ts";
import { readInParts } from "#lib/http/complete-list.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { boundedText } from "#lib/base/schema.ts";
import { resolveSpokeFilter, spokeListQuery } from "#lib/domains/spokes/filter.ts";
import { findSpokesInAnyHub } from "#lib/domains/spokes/show.ts";
import { SpokeView } from "#lib/domains/spokes/views.ts";

export const GET = endpoint({
  summary: "The spokes that you can see in any hub, by default newest first. Returns all spokes unless limit is set",
  access: signedInAccess,
  scope: "readonly",
  query: v.object({ ...spokeListQuery, federationId: v.optional(boundedText(1, 100)) }),
  reply: pageReply(SpokeView),
  faults: ["federation_missing"],
  handle({ app, actor, query }) {
    const removed = getRemovedObjectVisibility(actor, query);
    const where = resolveSpokeFilter(app, query);
    return readInParts(query, (part) => findSpokesInAnyHub(app.db.rows, actor, { ...where, ...part }, removed));
  },
});
