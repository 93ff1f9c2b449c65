/** One request for a hub. */
import { federationRequest } from "#lib/domains/federations/requests/access.ts";
import { withdrawRequest } from "#lib/domains/federations/requests/create.ts";
import { showRequest } from "#lib/domains/federations/requests/show.ts";
import { FederationRequestView } from "#lib/domains/federations/requests/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";

export const GET = endpoint({
  summary: "One request for a hub, and what became of it",
  access: federationRequest("see"),
  scope: "readonly",
  reply: ok(FederationRequestView),
  handle: ({ app, hubRequest: asked }) => showRequest(app.db.rows, asked),
});

export const DELETE = endpoint({
  summary: "Withdraw a request that nobody has decided yet; again, it stays as it is",
  access: federationRequest("withdraw"),
  scope: "cli",
  reply: ok(FederationRequestView),
  faults: ["request_decided"],
  handle: ({ app, actor, hubRequest: asked }) => withdrawRequest(app, actor, asked),
});
