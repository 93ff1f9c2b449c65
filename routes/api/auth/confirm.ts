import { signedInAccess } from "#lib/domains/auth/access.ts";
import { confirmOwnSession } from "#lib/domains/auth/confirm.ts";
import { ConfirmationView, ConfirmBody } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Confirm that it is you, with your password. Until recentUntil, your session may do dangerous actions, " +
    "such as removing spokes and creating tokens",
  access: signedInAccess,
  scope: "session",
  purpose: "confirming a session",
  rateLimitMessage: "too many login attempts",
  body: ConfirmBody,
  reply: okReply(ConfirmationView),
  faults: ["wrong_password", "busy"],
  handle: ({ app, actor, body, signal }) => confirmOwnSession(app, actor, body, signal),
});
