import { publicAccess } from "#lib/domains/auth/access.ts";
import { readPendingCookie } from "#lib/domains/auth/cookie.ts";
import { PendingSignInView, SecondFactorBody } from "#lib/domains/auth/factors/views.ts";
import { finishSignIn } from "#lib/domains/auth/finish-sign-in.ts";
import { readPendingSignIn } from "#lib/domains/auth/pending-sign-in.ts";
import { OwnAccountView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";
import { showUser } from "#lib/domains/users/views.ts";

export const GET = endpoint({
  summary: "The sign-in that waits for your second factor: who signs in, until when, and with what",
  access: publicAccess,
  scope: "flow",
  reply: okReply(PendingSignInView),
  faults: ["sign_in_expired"],
  handle: ({ app, request }) => readPendingSignIn(app.db.rows, readPendingCookie(app.config.publicUrl, request)),
});

export const POST = endpoint({
  summary: "Finish a sign-in with your second factor: a code of your authenticator app, or a recovery code. " +
    "Needs the cookie of the refusal second_factor_required. Returns a session cookie",
  access: publicAccess,
  scope: "flow",
  body: SecondFactorBody,
  reply: addCookieHeader(okReply(OwnAccountView)),
  faults: [
    ...["sign_in_expired", "wrong_code", "factor_needed", "too_many_codes"] as const,
    ...["secrets_key_missing", "secrets_key_unknown"] as const,
  ],
  async handle({ app, actor, ip, userAgent, request, body }) {
    const secret = readPendingCookie(app.config.publicUrl, request);
    const step = { secret, origin: { ip, userAgent }, previous: actor };
    const { user, cookie } = await finishSignIn(app, step, body);
    return { body: { user: showUser(user) }, cookie };
  },
});
