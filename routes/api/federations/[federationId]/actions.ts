import { hubAccess } from "#lib/domains/federations/access.ts";
import { requestHubAction } from "#lib/domains/federations/patch.ts";
import { FederationAction, FederationView } from "#lib/domains/federations/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Retry the provisioning of a failed hub",
  access: hubAccess("change"),
  scope: "cli",
  body: FederationAction,
  reply: acceptedReply(FederationView),
  faults: ["federation_state"],
  handle: ({ app, actor, federation, body }) => requestHubAction(app, actor, federation, body),
});
