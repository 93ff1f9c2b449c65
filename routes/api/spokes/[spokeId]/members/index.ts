import * as v from "valibot";
import { endpoint } from "#lib/http/endpoint.ts";
import { pageReply } from "#lib/http/reply.ts";
import { MemberView } from "#lib/domains/members/views.ts";
import { BeforeCursor, OptionalPageLimit } from "#lib/base/schema.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { listMembers } from "#lib/domains/members/memberships.ts";

export const GET = endpoint({
  summary: "The spoke's own admins, newest first, including invited users and excluding the hub's admins. " +
    "Returns all admins unless limit is set",
  access: spokeAccess("act"),
  scope: "readonly",
  query: v.object({ limit: OptionalPageLimit, before: v.optional(BeforeCursor) }),
  reply: pageReply(MemberView),
  handle: ({ app, spoke, query }) => listMembers(app.db.rows, { spokeId: spoke.id }, query),
});
