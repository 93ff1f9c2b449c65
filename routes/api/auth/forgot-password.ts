import { publicAccess } from "#lib/domains/auth/access.ts";
import { requestResetLink } from "#lib/domains/auth/forgot-password.ts";
import { Acknowledgement, ForgotPasswordBody } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Email a link for setting a new password. The response does not reveal whether the user exists",
  access: publicAccess,
  scope: "flow",
  rateLimitMessage: "too many requests",
  body: ForgotPasswordBody,
  reply: acceptedReply(Acknowledgement),
  faults: ["passwords_off"],
  async handle({ app, ip, userAgent, body }) {
    await requestResetLink(app, { ip, userAgent }, body.email);
    return {
      message:
        "If a user has this address, an email with a link is on its way, or was sent within the last 5 minutes; " +
        "the link works for an hour",
    };
  },
});
