import * as v from "valibot";
import { signedInAccess } from "#lib/domains/auth/access.ts";
import { endOwnSession } from "#lib/domains/auth/sessions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { noContentReply } from "#lib/http/reply.ts";

export const DELETE = endpoint({
  summary: "End one of your sessions and its event streams. Repeating the request changes nothing",
  access: signedInAccess,
  scope: "session",
  purpose: "ending sessions",
  params: v.object({ sessionId: v.string() }),
  reply: noContentReply,
  faults: ["session_missing"],
  handle: ({ app, actor, params }) => endOwnSession(app, actor, params.sessionId),
});
