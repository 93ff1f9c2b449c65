import { hubRequestAccess } from "#lib/domains/federations/requests/access.ts";
import { approveRequest } from "#lib/domains/federations/requests/decide.ts";
import { Approval, FederationRequestView } from "#lib/domains/federations/requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Approve a hub request: create the hub and make the requester its admin. " +
    "The request body can override the requested values",
  access: hubRequestAccess("decide"),
  scope: "cli",
  body: Approval,
  idempotent: true,
  reply: ok(FederationRequestView),
  faults: ["request_decided", "asker_disabled", "slug_taken", "not_offered"],
  handle: ({ app, actor, hubRequest: asked, body, idempotency }) =>
    approveRequest(app, actor, asked, body, idempotency),
});
