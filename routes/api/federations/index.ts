import * as v from "valibot";
import { operatorAccess, signedInAccess } from "#lib/domains/auth/access.ts";
import { getRemovedObjectVisibility } from "#lib/domains/federations/access.ts";
import { createFederation } from "#lib/domains/federations/create.ts";
import { findFederations } from "#lib/domains/federations/show.ts";
import { federationFilters, FederationView, NewFederation } from "#lib/domains/federations/views.ts";
import { readInParts } from "#lib/http/complete-list.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply, pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, OptionalPageLimit, QueryFlag } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "The hubs that you can see, newest first. Returns all hubs unless limit is set",
  access: signedInAccess,
  scope: "readonly",
  query: v.object({
    ...federationFilters,
    limit: OptionalPageLimit,
    before: v.optional(BeforeCursor),
    includeRemoved: QueryFlag,
  }),
  reply: pageReply(FederationView),
  handle({ app, actor, query }) {
    const removed = getRemovedObjectVisibility(actor, query);
    return readInParts(query, (part) => findFederations(app.db.rows, actor, { ...query, ...part }, removed));
  },
});

export const POST = endpoint({
  summary: "Create a hub. The hub is provisioned in the background",
  access: operatorAccess,
  scope: "cli",
  body: NewFederation,
  idempotent: true,
  reply: createdReply(FederationView, (federation) => `/api/federations/${federation.id}`),
  faults: ["slug_taken", "not_offered"],
  handle: ({ app, actor, body, idempotency }) => createFederation(app, actor, body, idempotency),
});
