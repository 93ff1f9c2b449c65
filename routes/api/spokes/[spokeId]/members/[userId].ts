import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";
import { removeSpokeMember, spokeMemberAccess } from "#lib/domains/spokes/members.ts";

export const DELETE = endpoint({
  summary: "Remove an admin from a spoke. The admin's access ends immediately. Spoke admins may remove themselves",
  access: spokeMemberAccess,
  scope: "cli",
  recentSignIn: true,
  reply: noContentReply,
  faults: ["member_missing"],
  handle: ({ app, actor, spoke, userId }) => removeSpokeMember(app, actor, spoke, userId),
});
