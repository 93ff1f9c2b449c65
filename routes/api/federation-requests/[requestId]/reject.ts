import { hubRequestAccess } from "#lib/domains/federations/requests/access.ts";
import { rejectHubRequest } from "#lib/domains/federations/requests/decide.ts";
import { FederationRequestView, HubRequestRejection } from "#lib/domains/federations/requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Reject a request for a new hub. The requester sees the reason",
  access: hubRequestAccess("decide"),
  scope: "cli",
  body: HubRequestRejection,
  idempotent: true,
  reply: okReply(FederationRequestView),
  faults: ["request_decided"],
  handle: ({ app, actor, hubRequest: asked, body, idempotency }) =>
    rejectHubRequest(app, actor, asked, body, idempotency),
});
