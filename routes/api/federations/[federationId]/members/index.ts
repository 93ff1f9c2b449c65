/** Who administers a hub. */
import * as v from "valibot";
import { federation } from "#lib/domains/federations/access.ts";
import { addHubMember, listHubMembers } from "#lib/domains/federations/members.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { ok, paged } from "#lib/http/reply.ts";
import { HubJoining, MemberView, NewMember } from "#lib/domains/members/views.ts";
import { BeforeCursor, OptionalPageLimit } from "#lib/base/schema.ts";

export const GET = endpoint({
  summary: "The hub's admins, newest first, pending ones too; complete unless a limit is given",
  access: federation("change"),
  scope: "readonly",
  query: v.object({ limit: OptionalPageLimit, before: v.optional(BeforeCursor) }),
  reply: paged(MemberView),
  handle: ({ app, federation, query }) => listHubMembers(app.db.rows, federation, query),
});

export const POST = endpoint({
  summary:
    "Make somebody an admin of a hub. Whoever has no account, or never proved the address, is invited by mail, " +
    "for 7 days; asked again, nothing is done twice, and an invitation is mailed again once an hour has passed",
  access: federation("change"),
  scope: "cli",
  body: NewMember,
  idempotent: true,
  reply: ok(HubJoining),
  faults: ["user_disabled", "federation_state"],
  handle: ({ app, actor, federation, body, idempotency }) => addHubMember(app, actor, federation, body, idempotency),
});
