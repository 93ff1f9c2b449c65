import { resetPasswordAsOperator, userAccess } from "#lib/domains/auth/accounts.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { NewPasswordView } from "#lib/domains/users/views.ts";

export const POST = endpoint({
  summary: "Set a new password for a user. Only this response contains the password. " +
    "Ends all sessions of the user, including yours if you reset your own password. Verifies the user's address",
  access: userAccess,
  scope: "session",
  purpose: "resetting a password",
  recentSignIn: true,
  reply: okReply(NewPasswordView),
  faults: ["user_missing", "user_disabled", "passwords_off", "busy"],
  handle: ({ app, actor, user }) => resetPasswordAsOperator(app, actor, user),
});
