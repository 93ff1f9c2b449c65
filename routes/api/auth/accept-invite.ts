import { acceptInvitationAndSignIn } from "#lib/domains/auth/accept-invitation.ts";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { AcceptInvitationBody, OwnAccountView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";
import { showUser } from "#lib/domains/users/views.ts";

export const POST = endpoint({
  summary: "Accept an invitation with the token from its link. " +
    "Verifies the email address, sets the password and returns a session cookie",
  access: publicAccess,
  scope: "flow",
  body: AcceptInvitationBody,
  reply: addCookieHeader(okReply(OwnAccountView)),
  faults: ["passwords_off", "link_spent", "second_factor_required", "busy"],
  async handle({ app, actor, ip, userAgent, body }) {
    const { user, cookie } = await acceptInvitationAndSignIn(app, { ip, userAgent }, body, actor);
    return { body: { user: showUser(user) }, cookie };
  },
});
