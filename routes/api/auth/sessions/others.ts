import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endOwnOtherSessions } from "#lib/domains/auth/sessions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";

export const DELETE = endpoint({
  summary: "End all your sessions except the current one, and their event streams",
  access: signedInAccess,
  scope: "session",
  purpose: "ending sessions",
  reply: noContentReply,
  handle: ({ app, actor }) => endOwnOtherSessions(app, actor),
});
