import { publicAccess } from "#lib/domains/auth/access.ts";
import { readPendingCookie } from "#lib/domains/auth/cookie.ts";
import { PasskeyOptionsBody, PasskeyOptionsView } from "#lib/domains/auth/factors/passkey-views.ts";
import { issuePasskeyOptions } from "#lib/domains/auth/passkey-sign-in.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { addCookieHeader, okReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "The options with which a browser uses a passkey: to sign in, as second factor, or to confirm a session. " +
    "The challenge works once, within 5 minutes",
  access: publicAccess,
  scope: "flow",
  body: PasskeyOptionsBody,
  reply: addCookieHeader(okReply(PasskeyOptionsView)),
  faults: ["sign_in_required", "sign_in_expired", "too_many_tries"],
  handle({ app, actor, request, body, countLoginAttempt }) {
    if (body.for === "sign-in") countLoginAttempt();
    const secret = readPendingCookie(app.config.publicUrl, request);
    return issuePasskeyOptions(app, { use: body.for, actor, secret });
  },
});
