import { patchUser, userAccess } from "#lib/domains/auth/accounts.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { UserPatch, UserRecordView } from "#lib/domains/users/views.ts";

export const GET = endpoint({
  summary: "One user",
  access: userAccess,
  scope: "readonly",
  reply: okReply(UserRecordView),
  faults: ["user_missing"],
  handle: ({ user }) => user,
});

export const PATCH = endpoint({
  summary: "Rename, disable or enable a user, or change their operator role. Granting this role requires a session. " +
    "Disabling a user ends their sessions and disables their tokens until the user is enabled again. " +
    "The last operator cannot be disabled and cannot lose the operator role",
  access: userAccess,
  scope: "cli",
  recentSignIn: true,
  body: UserPatch,
  reply: okReply(UserRecordView),
  faults: ["user_missing", "last_operator", "user_unverified", "session_required"],
  handle: ({ app, actor, user, body }) => patchUser(app, actor, user, body),
});
