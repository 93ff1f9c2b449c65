import { publicAccess } from "#lib/domains/auth/access.ts";
import { redeemTerminalSignIn } from "#lib/domains/auth/terminal-token.ts";
import { DeviceTokenBody } from "#lib/domains/auth/terminal-views.ts";
import { NewTokenView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Redeem deviceCode for an API token, at most every 5 seconds, until a user has decided",
  access: publicAccess,
  scope: "flow",
  body: DeviceTokenBody,
  reply: createdReply(NewTokenView, (token) => `/api/auth/tokens/${token.id}`),
  faults: [
    ...["sign_in_spent", "sign_in_pending", "polled_too_soon", "sign_in_denied"] as const,
    ...["expiry_past", "federation_missing", "portal_off"] as const,
  ],
  handle: ({ app, ip, userAgent, body }) => redeemTerminalSignIn(app, { ip, userAgent }, body),
});
