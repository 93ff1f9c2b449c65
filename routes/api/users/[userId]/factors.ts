import { resetFactorsAsOperator } from "#lib/domains/auth/factors/reset.ts";
import { userAccess } from "#lib/domains/auth/accounts.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";

export const DELETE = endpoint({
  summary:
    "Remove all second factors and recovery codes of a user who lost them. Ends the user's sessions, and emails " +
    "the user. Does nothing if the user has no second factor",
  access: userAccess,
  scope: "session",
  purpose: "resetting second factors",
  recentSignIn: true,
  reply: noContentReply,
  faults: ["user_missing"],
  handle: ({ app, actor, user }) => resetFactorsAsOperator(app, actor, user.id),
});
