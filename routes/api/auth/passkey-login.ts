import { publicAccess } from "#lib/domains/auth/access.ts";
import { readPendingCookie } from "#lib/domains/auth/cookie.ts";
import { PasskeyLoginBody } from "#lib/domains/auth/factors/passkey-views.ts";
import { signInWithPasskey } from "#lib/domains/auth/passkey-sign-in.ts";
import { OwnAccountView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";
import { showUser } from "#lib/domains/users/views.ts";

export const POST = endpoint({
  summary: "Sign in with a passkey, without a password. Needs the cookie of POST /api/auth/passkey-options",
  access: publicAccess,
  scope: "flow",
  body: PasskeyLoginBody,
  reply: addCookieHeader(okReply(OwnAccountView)),
  faults: ["passkey_refused"],
  async handle({ app, actor, ip, userAgent, request, body }) {
    const secret = readPendingCookie(app.config.publicUrl, request);
    const login = { origin: { ip, userAgent }, secret, previous: actor };
    const { user, cookie } = await signInWithPasskey(app, login, body.passkey);
    return { body: { user: showUser(user) }, cookie };
  },
});
