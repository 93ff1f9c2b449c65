/** Delegate a spoke to somebody. */
import { endpoint } from "#lib/http/endpoint.ts";
import { ok } from "#lib/http/reply.ts";
import { NewMember, SpokeJoining } from "#lib/domains/members/views.ts";
import { spoke } from "#lib/domains/spokes/access.ts";
import { delegateSpoke } from "#lib/domains/spokes/members.ts";

export const POST = endpoint({
  summary:
    "Make somebody an admin of a spoke. Whoever has no account, or never proved the address, is invited by mail, " +
    "for 7 days; asked again, nothing is done twice, and an invitation is mailed again once an hour has passed",
  access: spoke("delegate"),
  scope: "cli",
  body: NewMember,
  idempotent: true,
  reply: ok(SpokeJoining),
  faults: ["user_disabled", "spoke_state"],
  handle: ({ app, actor, spoke, body, idempotency }) => delegateSpoke(app, actor, spoke, body, idempotency),
});
