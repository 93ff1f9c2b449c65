import { signedInAccess } from "#lib/domains/auth/access.ts";
import { renewRecoveryCodes } from "#lib/domains/auth/factors/manage.ts";
import { RecoveryCodesView } from "#lib/domains/auth/factors/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Replace your recovery codes. Only this response contains the new ones. Emails you",
  access: signedInAccess,
  scope: "session",
  purpose: "renewing recovery codes",
  recentSignIn: true,
  reply: okReply(RecoveryCodesView),
  faults: ["factor_missing"],
  handle: ({ app, actor }) => renewRecoveryCodes(app, actor),
});
