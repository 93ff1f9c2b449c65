import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { getRemovedObjectVisibility } from "#lib/domains/federations/access.ts";
import { readInParts } from "#lib/http/complete-list.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, OptionalPageLimit, QueryFlag } from "#lib/base/schema.ts";
import { findSpokes } from "#lib/domains/spokes/show.ts";
import { spokeFilters, SpokeView } from "#lib/domains/spokes/views.ts";

export const GET = endpoint({
  summary: "The spokes that you can see in any hub, newest first. Returns all spokes unless limit is set",
  access: signedInAccess,
  scope: "readonly",
  query: v.object({
    ...spokeFilters,
    limit: OptionalPageLimit,
    before: v.optional(BeforeCursor),
    includeRemoved: QueryFlag,
  }),
  reply: pageReply(SpokeView),
  handle({ app, actor, query }) {
    const removed = getRemovedObjectVisibility(actor, query);
    return readInParts(query, (part) => findSpokes(app.db.rows, actor, { ...query, ...part }, removed));
  },
});
