import * as v from "valibot";
import { userAccess } from "#lib/domains/auth/accounts.ts";
import { unlinkIdentity } from "#lib/domains/auth/providers/identities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";

export const DELETE = endpoint({
  summary: "Unlink an identity of a user, and remove the roles that its provider gave. Ends the user's sessions",
  access: userAccess,
  scope: "session",
  purpose: "unlinking an identity",
  recentSignIn: true,
  params: v.object({ userId: v.string(), identityId: v.string() }),
  reply: noContentReply,
  faults: ["user_missing", "identity_missing", "identity_needed"],
  handle: ({ app, actor, user, params }) => unlinkIdentity(app, actor, user.id, params.identityId),
});
