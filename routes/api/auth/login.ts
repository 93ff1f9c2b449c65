import { publicAccess } from "#lib/domains/auth/access.ts";
import { signIn } from "#lib/domains/auth/login.ts";
import { LoginBody, LoginView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";
import { showUser } from "#lib/domains/users/views.ts";

export const POST = endpoint({
  summary: "Sign in with an email address and a password. Returns a session cookie",
  access: publicAccess,
  scope: "flow",
  rateLimitMessage: "too many login attempts",
  body: LoginBody,
  reply: addCookieHeader(okReply(LoginView)),
  faults: ["login_failed", "busy"],
  async handle({ app, ip, userAgent, body, signal }) {
    const { user, cookie, message } = await signIn(app, { ip, userAgent }, body, signal);
    return { body: { user: showUser(user), message }, cookie };
  },
});
