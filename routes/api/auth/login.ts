import { publicAccess } from "#lib/domains/auth/access.ts";
import { signIn } from "#lib/domains/auth/login.ts";
import { LoginBody, LoginView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";
import { showUser } from "#lib/domains/users/views.ts";

export const POST = endpoint({
  summary:
    "Sign in with an email address and a password. Returns a session cookie and ends your browser's earlier session. " +
    "Users with a second factor add code or recoveryCode, or call POST /api/auth/second-factor afterwards",
  access: publicAccess,
  scope: "flow",
  rateLimitMessage: "too many login attempts",
  body: LoginBody,
  reply: addCookieHeader(okReply(LoginView)),
  faults: [
    ...["passwords_off", "login_failed", "second_factor_required", "wrong_code", "too_many_codes"] as const,
    ...["secrets_key_unknown", "busy"] as const,
  ],
  async handle({ app, actor, ip, userAgent, body, signal }) {
    const { user, cookie, message } = await signIn(app, { ip, userAgent }, body, { previous: actor, signal });
    return { body: { user: showUser(user), message }, cookie };
  },
});
