import { signedInAccess } from "#lib/domains/auth/access.ts";
import { changeOwnName } from "#lib/domains/auth/own-account.ts";
import { OwnAccountPatch, OwnAccountView } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { showUser } from "#lib/domains/users/views.ts";

export const GET = endpoint({
  summary: "The user that your token or session belongs to",
  access: signedInAccess,
  scope: "readonly",
  duringEnrolment: true,
  reply: okReply(OwnAccountView),
  handle: ({ actor }) => ({ user: showUser({ ...actor, id: actor.userId }) }),
});

export const PATCH = endpoint({
  summary: "Change your display name",
  access: signedInAccess,
  scope: "session",
  purpose: "changing one's own account",
  body: OwnAccountPatch,
  faults: ["unverified"],
  reply: okReply(OwnAccountView),
  handle: async ({ app, actor, body }) => ({ user: showUser(await changeOwnName(app, actor, body)) }),
});
