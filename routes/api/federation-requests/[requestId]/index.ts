import { hubRequestAccess } from "#lib/domains/federations/requests/access.ts";
import { withdrawHubRequest } from "#lib/domains/federations/requests/create.ts";
import { showHubRequest } from "#lib/domains/federations/requests/store.ts";
import { FederationRequestView } from "#lib/domains/federations/requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "One request for a new hub, and its outcome",
  access: hubRequestAccess("see"),
  scope: "readonly",
  reply: okReply(FederationRequestView),
  handle: ({ app, hubRequest: asked }) => showHubRequest(app.db.rows, asked),
});

export const DELETE = endpoint({
  summary: "Withdraw a pending request for a new hub. Repeating the call changes nothing",
  access: hubRequestAccess("withdraw"),
  scope: "cli",
  reply: okReply(FederationRequestView),
  faults: ["request_decided"],
  handle: ({ app, actor, hubRequest: asked }) => withdrawHubRequest(app, actor, asked),
});
