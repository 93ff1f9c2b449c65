import * as v from "valibot";
import { hubAccess } from "#lib/domains/federations/access.ts";
import { addHubMember } from "#lib/domains/federations/members.ts";
import { listMembers } from "#lib/domains/members/memberships.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { okReply, pageReply } from "#lib/http/reply.ts";
import { HubInvitationView, MemberView, NewMember } from "#lib/domains/members/views.ts";
import { BeforeCursor, OptionalPageLimit } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "The hub's admins, newest first, including invited users. Returns all admins unless limit is set",
  access: hubAccess("change"),
  scope: "readonly",
  query: v.object({ limit: OptionalPageLimit, before: v.optional(BeforeCursor) }),
  reply: pageReply(MemberView),
  handle: ({ app, federation, query }) => listMembers(app.db.rows, { federationId: federation.id }, query),
});

export const POST = endpoint({
  summary: "Make a user an admin of a hub. A user without a verified account gets an email invitation. " +
    "The invitation is valid for 7 days. After an hour, repeating the request emails the invitation again",
  access: hubAccess("change"),
  scope: "cli",
  recentSignIn: true,
  body: NewMember,
  idempotent: true,
  reply: okReply(HubInvitationView),
  faults: ["user_disabled", "federation_state"],
  handle: ({ app, actor, federation, body, idempotency }) => addHubMember(app, actor, federation, body, idempotency),
});
