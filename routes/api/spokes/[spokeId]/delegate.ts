/** Delegates a spoke to a user. */
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";
import { NewMember, SpokeJoining } from "#lib/domains/members/views.ts";
import { spoke } from "#lib/domains/spokes/access.ts";
import { delegateSpoke } from "#lib/domains/spokes/members.ts";

export const POST = endpoint({
  summary: "Make a user an admin of a spoke. A user without a verified account gets an invitation by mail, valid " +
    "for 7 days. Repeating the request mails the invitation again after an hour",
  access: spoke("delegate"),
  scope: "cli",
  body: NewMember,
  idempotent: true,
  reply: ok(SpokeJoining),
  faults: ["user_disabled", "spoke_state"],
  handle: ({ app, actor, spoke, body, idempotency }) => delegateSpoke(app, actor, spoke, body, idempotency),
});
