/** A new password for a user who has lost theirs. */
import { account } from "#lib/domains/auth/accounts.ts";
import { resetByOperator } from "#lib/domains/auth/admin-reset.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";
import { NewPasswordView } from "#lib/domains/users/views.ts";

export const POST = endpoint({
  summary:
    "Give a user a new password, which is in this answer and nowhere else. All their sessions end, also your own if " +
    "it is you; an address that was not verified is so from now on, on your word",
  access: account,
  scope: "session",
  purpose: "resetting a password",
  reply: ok(NewPasswordView),
  faults: ["user_missing", "user_disabled", "busy"],
  handle: ({ app, actor, user }) => resetByOperator(app, actor, user.id),
});
