import { signedInAccess } from "#lib/domains/auth/access.ts";
import { confirmOwnSession } from "#lib/domains/auth/confirm.ts";
import { ConfirmationView, ConfirmBody } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary:
    "Confirm that it is you: with your second factor if you have one, otherwise with your password. Until recentUntil, your session may do dangerous actions, " +
    "such as removing spokes and creating tokens",
  access: signedInAccess,
  scope: "session",
  purpose: "confirming a session",
  duringEnrolment: true,
  rateLimitMessage: "too many login attempts",
  body: ConfirmBody,
  reply: okReply(ConfirmationView),
  faults: [
    ...["password_needed", "wrong_password", "factor_needed", "wrong_factor", "too_many_codes"] as const,
    ...["secrets_key_missing", "secrets_key_unknown", "busy"] as const,
  ],
  handle: ({ app, actor, body, signal }) => confirmOwnSession(app, actor, body, signal),
});
