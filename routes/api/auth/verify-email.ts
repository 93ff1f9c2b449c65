import { publicAccess } from "#lib/domains/auth/access.ts";
import { verifyEmail } from "#lib/domains/auth/verify-email.ts";
import { OwnAccountView, VerifyEmailBody } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { showUser } from "#lib/domains/users/views.ts";

export const POST = endpoint({
  summary: "Verify an email address with the token from its link. " +
    "The password in the request becomes the user's password. Ends earlier sessions and revokes earlier tokens",
  access: publicAccess,
  scope: "flow",
  body: VerifyEmailBody,
  reply: okReply(OwnAccountView),
  faults: ["passwords_off", "link_spent", "busy"],
  handle: async ({ app, ip, userAgent, body }) => ({
    user: showUser(await verifyEmail(app, { ip, userAgent }, body)),
  }),
});
