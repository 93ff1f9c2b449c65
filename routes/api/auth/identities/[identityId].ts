import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { unlinkIdentity } from "#lib/domains/auth/providers/identities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";

export const DELETE = endpoint({
  summary: "Unlink an identity, if you can still sign in. Removes the roles that its provider gave you",
  access: signedInAccess,
  scope: "session",
  purpose: "unlinking an identity",
  recentSignIn: true,
  params: v.object({ identityId: v.string() }),
  reply: noContentReply,
  faults: ["identity_missing", "identity_needed"],
  handle: ({ app, actor, params }) => unlinkIdentity(app, actor, actor.userId, params.identityId),
});
