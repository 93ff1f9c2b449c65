import { signedInAccess } from "#lib/domains/auth/access.ts";
import { changeOwnPassword } from "#lib/domains/auth/own-account.ts";
import { Acknowledgement, ChangePasswordBody } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Change your password. Ends your other sessions, renews this session's cookie and keeps your tokens",
  access: signedInAccess,
  scope: "session",
  purpose: "changing the password",
  rateLimitMessage: "too many login attempts",
  body: ChangePasswordBody,
  reply: addCookieHeader(okReply(Acknowledgement)),
  faults: ["passwords_off", "wrong_password", "busy"],
  async handle({ app, actor, body, signal }) {
    const cookie = await changeOwnPassword(app, actor, body, signal);
    return { body: { message: "The new password is set; you are signed out everywhere else" }, cookie };
  },
});
