import { hubRequestAccess } from "#lib/domains/federations/requests/access.ts";
import { approveHubRequest } from "#lib/domains/federations/requests/decide.ts";
import { FederationRequestView, HubRequestApproval } from "#lib/domains/federations/requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Approve a request for a new hub: create the hub and make the requester its admin. " +
    "The request body can override the requested values",
  access: hubRequestAccess("decide"),
  scope: "cli",
  body: HubRequestApproval,
  idempotent: true,
  reply: okReply(FederationRequestView),
  faults: ["request_decided", "requester_disabled", "slug_taken", "not_offered"],
  handle: ({ app, actor, hubRequest: asked, body, idempotency }) =>
    approveHubRequest(app, actor, asked, body, idempotency),
});
