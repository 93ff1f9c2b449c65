import { hubAccess } from "#lib/domains/federations/access.ts";
import { checkSignIn } from "#lib/domains/policy/check-sign-in.ts";
import { SignInCheck, SignInCheckRequest } from "#lib/domains/policy/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Check from a site of the hub whether an identity provider can be used. Changes nothing",
  access: hubAccess("change"),
  scope: "cli",
  body: SignInCheckRequest,
  reply: okReply(SignInCheck),
  faults: ["sign_in_incomplete", "spoke_state", "check_in_progress", "cluster_unavailable"],
  handle: ({ app, actor, federation, body, signal }) => checkSignIn(app, actor, federation, body, signal),
});
