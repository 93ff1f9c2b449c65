import { endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { NewMember, SpokeInvitationView } from "#lib/domains/members/views.ts";
import { spokeAccess } from "#lib/domains/spokes/access.ts";
import { addSpokeMember } from "#lib/domains/spokes/members.ts";

export const POST = endpoint({
  summary: "Make a user an admin of a spoke. A user without a verified account gets an email invitation. " +
    "The invitation is valid for 7 days. After an hour, repeating the request emails the invitation again",
  access: spokeAccess("delegate"),
  scope: "cli",
  recentSignIn: true,
  body: NewMember,
  idempotent: true,
  reply: okReply(SpokeInvitationView),
  faults: ["user_disabled", "spoke_state"],
  handle: ({ app, actor, spoke, body, idempotency }) => addSpokeMember(app, actor, spoke, body, idempotency),
});
