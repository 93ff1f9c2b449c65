import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { requestFederation } from "#lib/domains/federations/requests/create.ts";
import { findVisibleHubRequests } from "#lib/domains/federations/requests/store.ts";
import {
  FederationRequestView,
  HubRequestStateFilter,
  NewFederationRequest,
} from "#lib/domains/federations/requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply, pageReply } from "#lib/http/reply.ts";
import { BeforeCursor, createPageLimitSchema } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "Requests for new hubs, newest first. Operators see all requests, other users only their own",
  access: signedInAccess,
  scope: "readonly",
  query: v.object({ state: HubRequestStateFilter, limit: createPageLimitSchema(25), before: v.optional(BeforeCursor) }),
  reply: pageReply(FederationRequestView),
  handle: ({ app, actor, query }) => findVisibleHubRequests(app.db.rows, actor, query),
});

export const POST = endpoint({
  summary: "Request a hub. If an operator approves your request, you become the hub's admin",
  access: signedInAccess,
  scope: "cli",
  body: NewFederationRequest,
  idempotent: true,
  reply: createdReply(FederationRequestView, (request) => `/api/federation-requests/${request.id}`),
  faults: ["slug_taken", "too_many_pending", "unverified", "not_offered", "token_limited"],
  handle: ({ app, actor, body, idempotency }) => requestFederation(app, actor, body, idempotency),
});
