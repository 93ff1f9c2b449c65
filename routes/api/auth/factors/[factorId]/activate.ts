import { ownFactorAccess } from "#lib/domains/auth/factors/access.ts";
import { activateFactor } from "#lib/domains/auth/factors/enrol.ts";
import { ActivatedFactorView, FactorActivation } from "#lib/domains/auth/factors/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary:
    "Activate an authenticator app with its first code, or a passkey with the browser's response. For your first second factor, ends your other sessions " +
    "and returns recovery codes, which only this response contains. Emails you",
  access: ownFactorAccess,
  scope: "session",
  purpose: "adding a second factor",
  recentSignIn: true,
  duringEnrolment: true,
  body: FactorActivation,
  reply: okReply(ActivatedFactorView),
  faults: ["factor_missing", "factor_needed", "wrong_factor", "secrets_key_missing", "secrets_key_unknown"],
  handle: ({ app, actor, factorId, body }) => activateFactor(app, actor, factorId, body),
});
