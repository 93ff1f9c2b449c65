import { signedInAccess } from "#lib/domains/auth/access.ts";
import { findDeviceSignIn } from "#lib/domains/auth/terminal-sign-in.ts";
import { PendingDeviceSignInView, UserCodeBody } from "#lib/domains/auth/terminal-views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "The sign-in with the code that a terminal shows: from where it was started, and for which token",
  access: signedInAccess,
  scope: "session",
  rateLimitMessage: "too many login attempts",
  body: UserCodeBody,
  reply: okReply(PendingDeviceSignInView),
  faults: ["sign_in_missing"],
  handle: ({ app, body }) => findDeviceSignIn(app, body.userCode),
});
