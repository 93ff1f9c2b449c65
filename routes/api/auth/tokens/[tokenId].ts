import { ownTokenAccess, revokeToken } from "#lib/domains/auth/tokens.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";

export const DELETE = endpoint({
  summary: "Revoke an API token. The token stops working immediately",
  access: ownTokenAccess,
  scope: "cli",
  reply: noContentReply,
  faults: ["token_missing"],
  handle: ({ app, actor, token }) => revokeToken(app, actor, token),
});
