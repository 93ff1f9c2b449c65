import { hubAccess } from "#lib/domains/federations/access.ts";
import { removeHubMember } from "#lib/domains/federations/members.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";
import { UserPathParams } from "#lib/domains/users/views.ts";

export const DELETE = endpoint({
  summary: "Remove an admin from a hub. The admin's access ends immediately. Admins may remove themselves",
  access: hubAccess("change"),
  scope: "cli",
  recentSignIn: true,
  params: UserPathParams,
  reply: noContentReply,
  faults: ["member_missing"],
  handle: ({ app, actor, federation, params }) => removeHubMember(app, actor, federation, params.userId),
});
