import { publicAccess } from "#lib/domains/auth/access.ts";
import { redeemTerminalSignIn } from "#lib/domains/auth/terminal-token.ts";
import { TerminalTokenBody } from "#lib/domains/auth/terminal-views.ts";
import { NewTokenView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Redeem the code of a sign-in from a terminal for an API token",
  access: publicAccess,
  scope: "flow",
  body: TerminalTokenBody,
  reply: createdReply(NewTokenView, (token) => `/api/auth/tokens/${token.id}`),
  faults: ["sign_in_spent", "expiry_past", "federation_missing", "portal_off"],
  handle: ({ app, ip, userAgent, body }) => redeemTerminalSignIn(app, { ip, userAgent }, body),
});
