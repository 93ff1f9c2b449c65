/** One user, for operators. */
import { account, patchUser } from "#lib/domains/auth/accounts.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";
import { UserPatch, UserRecordView } from "#lib/domains/users/views.ts";

export const GET = endpoint({
  summary: "One user",
  access: account,
  scope: "readonly",
  reply: ok(UserRecordView),
  faults: ["user_missing"],
  handle: ({ user }) => user,
});

export const PATCH = endpoint({
  summary:
    "Rename a user, make an operator of them or not, disable or enable them; whoever becomes an operator by it does so by a " +
    "session. Disabling ends their sessions for good, and stops their tokens until they are enabled again; there is " +
    "always an operator left",
  access: account,
  scope: "cli",
  body: UserPatch,
  reply: ok(UserRecordView),
  faults: ["user_missing", "last_operator", "user_unverified", "session_required"],
  handle: ({ app, actor, user, body }) => patchUser(app, actor, user, body),
});
