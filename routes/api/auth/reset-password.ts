import { publicAccess } from "#lib/domains/auth/access.ts";
import { resetPasswordByLink } from "#lib/domains/auth/forgot-password.ts";
import { Acknowledgement, ResetPasswordBody } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Set a new password with an emailed link. " +
    "Ends all sessions, and revokes all API tokens unless keepTokens is true",
  access: publicAccess,
  scope: "flow",
  body: ResetPasswordBody,
  reply: okReply(Acknowledgement),
  faults: ["passwords_off", "link_spent", "busy"],
  async handle({ app, ip, userAgent, body }) {
    await resetPasswordByLink(app, { ip, userAgent }, body);
    return { message: "The new password is set; sign in with it" };
  },
});
