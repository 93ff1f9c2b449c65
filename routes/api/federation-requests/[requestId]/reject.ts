import { hubRequestAccess } from "#lib/domains/federations/requests/access.ts";
import { rejectRequest } from "#lib/domains/federations/requests/decide.ts";
import { FederationRequestView, Rejection } from "#lib/domains/federations/requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Reject a hub request. The requester sees the reason",
  access: hubRequestAccess("decide"),
  scope: "cli",
  body: Rejection,
  idempotent: true,
  reply: ok(FederationRequestView),
  faults: ["request_decided"],
  handle: ({ app, actor, hubRequest: asked, body, idempotency }) => rejectRequest(app, actor, asked, body, idempotency),
});
