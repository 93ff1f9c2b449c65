import { signedInAccess } from "#lib/domains/auth/access.ts";
import { createTerminalCode } from "#lib/domains/auth/terminal-sign-in.ts";
import { TerminalCodeBody, TerminalCodeView } from "#lib/domains/auth/terminal-views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Approve a sign-in from a terminal on your machine. The code is valid for 60 seconds, once",
  access: signedInAccess,
  scope: "session",
  purpose: "token minting",
  recentSignIn: true,
  body: TerminalCodeBody,
  reply: createdReply(TerminalCodeView, () => "/api/auth/tokens"),
  faults: ["expiry_past", "federation_missing", "portal_off"],
  handle: ({ app, actor, body }) => createTerminalCode(app, actor, body),
});
