import { signedInAccess } from "#lib/domains/auth/access.ts";
import { decideDeviceSignIn } from "#lib/domains/auth/terminal-sign-in.ts";
import { DeviceDecisionBody, DeviceDecisionView } from "#lib/domains/auth/terminal-views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Approve or deny a sign-in from a terminal. If approved, the terminal gets a token that acts as you",
  access: signedInAccess,
  scope: "session",
  purpose: "token minting",
  recentSignIn: { when: ({ body }) => body.approve },
  body: DeviceDecisionBody,
  reply: okReply(DeviceDecisionView),
  faults: ["sign_in_missing", "expiry_past", "federation_missing"],
  handle: ({ app, actor, body }) => decideDeviceSignIn(app, actor, body),
});
